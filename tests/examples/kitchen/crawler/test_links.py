"""Addresses are written in one way."""

import pytest

from examples.kitchen.crawler.links import NotWeb, Site, origin, parse

PAGE = parse("http://kitchen.test/soups/list")


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ("tomato", "http://kitchen.test/soups/tomato"),
        ("../about#us", "http://kitchen.test/about"),
        ("?", "http://kitchen.test/soups/list"),
        ("?page=2", "http://kitchen.test/soups/list?page=2"),
        ("#top", "http://kitchen.test/soups/list"),
        ("  /a/./b/../c \n", "http://kitchen.test/a/c"),
        ("//KITCHEN.test:80", "http://kitchen.test/"),
        ("HTTPS://kitchen.test:443/x", "https://kitchen.test/x"),
        ("https://kitchen.test:80/x", "https://kitchen.test:80/x"),
        ("http://cook:secret@kitchen.test./x", "http://kitchen.test/x"),
        ("http://2130706433/", "http://127.0.0.1/"),
        ("http://[0:0::1]:8080/", "http://[::1]:8080/"),
        ("http://bücher.test/ü", "http://xn--bcher-kva.test/%C3%BC"),
    ],
)
def test_a_page_has_one_address(written: str, normal: str) -> None:
    assert str(parse(written, PAGE)) == normal
    assert str(parse(normal)) == normal


@pytest.mark.parametrize(
    "written",
    [
        *("mailto:cook@kitchen.test", "javascript:alert(1)", "ftp://kitchen.test/", "file:///etc/passwd", "data:,x"),
        *("http://[::1", "http://kitchen.test:port/", "http://kit chen/", "http://kitchen,test/", "/" + "x" * 2000),
    ],
)
def test_what_is_no_page_is_refused(written: str) -> None:
    with pytest.raises(NotWeb):
        parse(written, PAGE)


@pytest.mark.parametrize("written", ["", "/soups", "kitchen.test", "http://", "http:///x"])
def test_the_first_address_must_be_whole(written: str) -> None:
    with pytest.raises(NotWeb, match="is not an address that begins with http:// or https:// and a host"):
        parse(written)


@pytest.mark.parametrize(
    ("url", "inside"),
    [
        ("http://kitchen.test/x", True),
        ("https://kitchen.test/", True),
        ("https://www.kitchen.test/", True),
        ("http://shop.kitchen.test/", False),
        ("http://kitchen.test:8080/", False),
        ("http://kitchen.test.evil.test/", False),
        ("http://evilkitchen.test/", False),
    ],
)
def test_a_site_is_a_host_and_a_port(url: str, inside: bool) -> None:
    assert Site(PAGE).includes(parse(url)) is inside


@pytest.mark.parametrize("url", ["http://kitchen.test/a?b", "http://kitchen.test"])
def test_an_origin_has_no_path(url: str) -> None:
    assert origin(parse(url)) == "http://kitchen.test"
