// Calls the service by a client of oapi-codegen: create, list, merge-patch, delete.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"

	"generated.example/clients/ostiary"
	"github.com/oapi-codegen/nullable"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	ctx, project, environment := context.Background(), os.Args[2], os.Args[3]
	withKey := func(_ context.Context, request *http.Request) error {
		request.Header.Set("X-API-Key", os.Getenv("OSTIARY_KEY"))
		return nil
	}
	client, err := ostiary.NewClientWithResponses(os.Args[1], ostiary.WithRequestEditorFn(withKey))
	check(err)

	web, uris, name, newName := ostiary.APPLICATIONTYPEWEB, []string{"https://app.example.com/cb"}, "Generated", "Changed"
	made, err := client.CreateApplicationWithResponse(ctx, project, environment, nil, ostiary.ApplicationCreation{
		Name: &name, ApplicationType: &web, RedirectUris: &uris, LogoUri: nullable.NewNullableWithValue("https://app.example.com/logo.png"),
	})
	check(err)
	id := made.JSON201.Id
	listed, err := client.ListApplicationsWithResponse(ctx, project, environment, nil)
	check(err)
	changed, err := client.ChangeApplicationWithApplicationMergePatchPlusJSONBodyWithResponse(ctx, project, environment, id, nil, ostiary.ApplicationChange{
		Name: &newName, LogoUri: nullable.NewNullNullable[string](),
	})
	check(err)
	deleted, err := client.DeleteApplicationWithResponse(ctx, project, environment, id, nil)
	check(err)
	fmt.Println(made.StatusCode(), listed.JSON200.Data[0].Id == id, changed.JSON200.Name, changed.JSON200.LogoUri.IsNull(), deleted.StatusCode())
}
