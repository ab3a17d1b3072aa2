"""Calls the service by a client of openapi-python-client: create, list, merge-patch, delete."""

import os
import sys

from ostiary_client import AuthenticatedClient
from ostiary_client.api.applications import change_application, create_application, delete_application, list_applications
from ostiary_client.models import ApplicationChange, ApplicationCreation, ApplicationType

base_url, project, environment = sys.argv[1:]
client = AuthenticatedClient(base_url=base_url, token=os.environ["OSTIARY_KEY"], prefix="", auth_header_name="X-API-Key")
creation = ApplicationCreation(
    name="Generated",
    application_type=ApplicationType.APPLICATION_TYPE_WEB,
    redirect_uris=["https://app.example.com/cb"],
    logo_uri="https://app.example.com/logo.png",
)
made = create_application.sync_detailed(project, environment, client=client, body=creation)
listed = list_applications.sync(project, environment, client=client)
changed = change_application.sync(project, environment, made.parsed.id, client=client, body=ApplicationChange(name="Changed", logo_uri=None))
deleted = delete_application.sync_detailed(project, environment, made.parsed.id, client=client)
print(
    int(made.status_code),
    str(listed.data[0].id == made.parsed.id).lower(),
    changed.name,
    str(changed.logo_uri is None).lower(),
    int(deleted.status_code),
)
