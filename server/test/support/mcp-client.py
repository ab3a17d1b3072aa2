"""
Calls tools of an MCP server by the official SDK, registered beforehand or by the address of its metadata document. Prints the address that a
person opens, and reads the one to which the browser returns.
"""

import asyncio
import json
import os
import socket
import sys
import time
from urllib.parse import parse_qs, urlsplit

from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata

address, client_id, redirect_uri, *tools = sys.argv[1:]
has_document = client_id.startswith("https://")

# The names of the test's proxy lead to this machine.
names = json.loads(os.environ.get("OSTIARY_TEST_NAMES", "[]"))
look_up = socket.getaddrinfo


def is_ours(host):
    if isinstance(host, bytes):
        host = host.decode()
    return host is not None and any(host.endswith(name[1:]) if name.startswith("*.") else host == name for name in names)


def getaddrinfo(host, *arguments, **options):
    return look_up("127.0.0.1" if is_ours(host) else host, *arguments, **options)


socket.getaddrinfo = getaddrinfo

# The clock of the SDK, which the word "later" among the tools moves.
clock = time.time
ahead = 0
time.time = lambda: clock() + ahead


class Kept:
    tokens = None
    client_info = (
        None
        if has_document
        else OAuthClientInformationFull(client_id=client_id, redirect_uris=[redirect_uri], token_endpoint_auth_method="none")
    )

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client_info

    async def set_client_info(self, client_info):
        self.client_info = client_info


async def open_browser(url):
    print("open", url, flush=True)


async def returned():
    line = await asyncio.to_thread(sys.stdin.readline)
    answer = {name: values[0] for name, values in parse_qs(urlsplit(line.strip()).query).items()}
    if "error" in answer:
        raise PermissionError(answer["error"])
    return AuthorizationCodeResult(code=answer["code"], state=answer.get("state"), iss=answer.get("iss"))


async def main():
    global ahead
    kept = Kept()
    metadata = OAuthClientMetadata(redirect_uris=[redirect_uri], token_endpoint_auth_method="none")
    url = client_id if has_document else None
    provider = OAuthClientProvider(
        address, metadata, kept, redirect_handler=open_browser, callback_handler=returned, client_metadata_url=url
    )
    async with create_mcp_http_client(auth=provider) as http_client:
        async with Client(streamable_http_client(address, http_client=http_client)) as client:
            for tool in tools:
                if tool == "later":
                    print("later", flush=True)
                    await asyncio.to_thread(sys.stdin.readline)
                    ahead += 4000
                    continue
                result = await client.call_tool(tool, {})
                print("tool", result.content[0].text, flush=True)
    print("scope", kept.tokens.scope, flush=True)


def causes(error):
    return [cause for each in error.exceptions for cause in causes(each)] if isinstance(error, BaseExceptionGroup) else [error]


try:
    asyncio.run(main())
except Exception as error:
    for cause in causes(error):
        print("stopped", type(cause).__name__, cause, flush=True)
