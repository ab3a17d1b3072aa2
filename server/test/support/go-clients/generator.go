// Uses a client of openapi-generator: create, list, merge-patch, delete. It is compiled and not run (docs/generated-clients.md).
package main

import (
	"context"
	"fmt"
	"os"

	"generated.example/clients/ostiary"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	project, environment := os.Args[2], os.Args[3]
	configuration := ostiary.NewConfiguration()
	configuration.Servers = ostiary.ServerConfigurations{{URL: os.Args[1]}}
	ctx := context.WithValue(context.Background(), ostiary.ContextAPIKeys, map[string]ostiary.APIKey{"api_key": {Key: os.Getenv("OSTIARY_KEY")}})
	applications := ostiary.NewAPIClient(configuration).ApplicationsAPI

	creation := ostiary.NewApplicationCreation()
	creation.SetName("Generated")
	creation.SetApplicationType(ostiary.APPLICATION_TYPE_WEB)
	creation.SetRedirectUris([]string{"https://app.example.com/cb"})
	made, created, err := applications.CreateApplication(ctx, project, environment).ApplicationCreation(*creation).Execute()
	check(err)
	listed, _, err := applications.ListApplications(ctx, project, environment).Execute()
	check(err)
	change := ostiary.NewApplicationChange()
	change.SetName("Changed")
	changed, _, err := applications.ChangeApplication(ctx, project, environment, made.Id).ApplicationChange(*change).Execute()
	check(err)
	deleted, err := applications.DeleteApplication(ctx, project, environment, made.Id).Execute()
	check(err)
	fmt.Println(created.StatusCode, listed.Data[0].Id == made.Id, changed.Name, changed.LogoUri.Get() == nil, deleted.StatusCode)
}
