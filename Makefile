# Every target is one script, so that everything also works without make: sh scripts/<name>.sh
.DEFAULT_GOAL := help
.PHONY: help setup demo example test test-embedded lint format bench chaos docs lock clean

help: ## this list
	@sh scripts/help.sh

setup: ## install everything a contributor needs into .venv
	@sh scripts/setup.sh

demo: ## play the embedded demo and open the chat page; ARGS=--once checks everything and ends
	@sh scripts/demo.sh $(ARGS)

example: ## run an application: NAME=kitchen ARGS=--once
	@sh scripts/example.sh "$(NAME)" $(ARGS)

test: ## all tests, with real servers; ARGS go to pytest
	@sh scripts/test.sh $(ARGS)

test-embedded: ## the tests that need no server
	@sh scripts/test-embedded.sh $(ARGS)

lint: ## ruff, types and layers
	@sh scripts/lint.sh

format: ## let ruff repair and format the code
	@sh scripts/format.sh

bench: ## compare with peers, in ratios
	@sh scripts/bench.sh $(ARGS)

chaos: ## the long fault runs
	@sh scripts/chaos.sh $(ARGS)

docs: ## build the documentation into site/
	@sh scripts/docs.sh $(ARGS)

lock: ## pin requirements/*.txt anew; ARGS=--upgrade takes the newest versions
	@sh scripts/lock.sh $(ARGS)

clean: ## remove everything that was made
	@sh scripts/clean.sh
