"""Signs a person in at an MCP server by the MCP SDK for Python, for the programs beside this file. The person consents to everything."""

import asyncio
import sys
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp.client.auth import OAuthClientProvider
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata

redirect_uri = "http://127.0.0.1/callback"


class Kept:
    tokens = None
    client = OAuthClientInformationFull(client_id="client", redirect_uris=[redirect_uri], token_endpoint_auth_method="none")

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


class Browser:
    answer = {}

    async def open(self, url):
        async with httpx2.AsyncClient() as browser:
            response = await browser.get(url)
        self.answer = {name: values[0] for name, values in parse_qs(urlsplit(response.headers["location"]).query).items()}

    async def returned(self):
        return AuthorizationCodeResult(code=self.answer["code"], state=self.answer["state"], iss=self.answer["iss"])


async def main(address):
    browser = Browser()
    metadata = OAuthClientMetadata(redirect_uris=[redirect_uri], token_endpoint_auth_method="none")
    provider = OAuthClientProvider(address, metadata, Kept(), redirect_handler=browser.open, callback_handler=browser.returned)
    async with create_mcp_http_client(auth=provider) as client:
        response = await client.post(address, json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        print(response.status_code)


asyncio.run(main(sys.argv[1]))
