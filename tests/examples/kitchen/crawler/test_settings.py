"""Settings come from the environment."""

import pytest

from examples.kitchen.crawler.limits import Limits
from examples.kitchen.crawler.settings import Settings, SettingsMistake, read_settings


def test_nothing_needs_to_be_set() -> None:
    assert read_settings({"HOME": "/", "RABBITMQ_URL": ""}) == Settings()


def test_everything_can_be_set() -> None:
    settings = read_settings(
        {
            "RABBITMQ_URL": "amqp://cook@broker/",
            "RABBITMQ_CRAWLING_REQUEST_QUEUE": "in",
            "RABBITMQ_CRAWLING_RESPONSE_QUEUE": "out",
            "CRAWLER_ALLOW_PRIVATE": "1",
            "CRAWLER_USER_AGENT": "Cook/2",
            "CRAWLER_PAGES": "7",
            "CRAWLER_PAGE_SECONDS": "1.5",
        }
    )
    assert settings == Settings(
        broker_url="amqp://cook@broker/",
        request_queue="in",
        response_queue="out",
        allow_private=True,
        user_agent="Cook/2",
        limits=Limits(pages=7, page_seconds=1.5),
    )


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("CRAWLER_PAGES", "many", "CRAWLER_PAGES: Expected `int`, got `str`."),
        ("CRAWLER_PAGES", "0", "CRAWLER_PAGES: Expected `int` >= 1."),
        ("CRAWLER_PAGE_SECONDS", "0", "CRAWLER_PAGE_SECONDS: Expected `float` > 0.0."),
        ("CRAWLER_ALLOW_PRIVATE", "maybe", "CRAWLER_ALLOW_PRIVATE: Expected `bool`, got `str`."),
        ("CRAWLER_PAGE", "3", "CRAWLER_PAGE is not a setting of the crawler. There are CRAWLER_ALLOW_PRIVATE, "),
    ],
)
def test_a_mistake_names_the_variable(name: str, value: str, message: str) -> None:
    with pytest.raises(SettingsMistake) as caught:
        read_settings({name: value})
    assert str(caught.value).startswith(message)
