#!/usr/bin/env bash
# openapi-generator 7.16.0 (Maven Central), language go, OpenAPI 3.1.0.
#
# Guess: a property with `"type": ["string", "null"]` is a NullableString, whether or not the object around it has other members.
# Seen: in an object without the keyword `additionalProperties` it is; with `additionalProperties: false` it is a *string, which leaves
# out a nil: a client cannot send `null`, so a merge patch cannot empty the member. `false` only closes the object (JSON Schema 2020-12, §10.3.2.3).
#
# Needs Java and Maven. Fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy \
  -Dartifact=org.openapitools:openapi-generator-cli:7.16.0 -Dmdep.stripVersion=true -DoutputDirectory="$folder"

field() { # the JSON of further keywords of the object; prints the Go field
  cat >document.json <<JSON
{"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": {}, "components": {"schemas": {
  "User": {"type": "object", "properties": {"name": {"type": ["string", "null"]}}$1}}}}
JSON
  rm -rf client
  java -jar openapi-generator-cli.jar generate -i document.json -g go -o client --global-property=models,modelTests=false,modelDocs=false >log 2>&1
  awk '$1 == "Name" { print $2; exit }' client/model_user.go
}
open=$(field '')
closed=$(field ', "additionalProperties": false')
echo "without additionalProperties: $open"
echo "with additionalProperties false: $closed"
[ "$open" = NullableString ] && [ "$closed" = '*string' ]
