/**
 * Python, Go, C# and curl. A test runs each one where the machine has what it needs; C# is checked by reading only
 * (docs/decisions/0057-connect-and-examples.md).
 */
import {
  callbackPath,
  double,
  envOf,
  isInsecure,
  listenerOf,
  opensAt,
  organizationWords,
  type ProgramSnippet,
  single,
  type Values,
  withEnv,
  withOrganization,
  word,
} from './values.ts'

export const python = (values: Values): ProgramSnippet => ({
  name: 'Python',
  program: {
    file: 'app.py',
    install: 'python3 -m venv .venv\n. .venv/bin/activate\npip install Authlib Flask requests',
    env: envOf(values),
    made_secret: 'SESSION_SECRET',
    run: withEnv('python app.py'),
    opens: opensAt(values),
  },
  code: `import os

from authlib.integrations.flask_client import OAuth
from flask import Flask, redirect${withOrganization(values, ', request')}, session

app = Flask(__name__)
app.secret_key = os.environ['SESSION_SECRET']
oauth = OAuth(app)
oauth.register(
    'ostiary',
    server_metadata_url=${single(`${values.issuer}/.well-known/openid-configuration`)},
    client_id=${single(values.client_id)},
    client_secret=os.environ['OSTIARY_CLIENT_SECRET'],
    client_kwargs={
        'scope': 'openid profile email',
        'token_endpoint_auth_method': '${values.authentication}',
        'code_challenge_method': 'S256',
    },
)


@app.get('/')
def home():
    return f"Signed in as {session['user_id']}${withOrganization(values, " in {session['org_id'] or 'no organization'}")}" if 'user_id' in session else '<a href="/sign-in">Sign in</a>'


@app.get('/sign-in')
def sign_in():
${withOrganization(
  values,
  `    # /sign-in?organization=acme: ${organizationWords(values)}
    asked = {'organization': request.args['organization']} if 'organization' in request.args else {}
`,
)}    return oauth.ostiary.authorize_redirect(${single(values.redirect_uri)}${withOrganization(values, ', **asked')})  # with state and nonce


@app.get(${single(callbackPath(values))})
def callback():
    token = oauth.ostiary.authorize_access_token()  # compares state and nonce
    session.clear()
    session['user_id'] = token['userinfo']['sub']  # store this one: an email address can change${withOrganization(values, "\n    session['org_id'] = token['userinfo'].get('org_id')  # compare it with what you asked for")}
    return redirect('/')


if __name__ == '__main__':
    app.run(host='${listenerOf(values).host}', port=${listenerOf(values).port})`,
})

const go_url = 'config.AuthCodeURL(state, oidc.Nonce(nonce), oauth2.S256ChallengeOption(pkce))'
const goRedirect = (values: Values) =>
  values.organizations === 'none'
    ? `\t\thttp.Redirect(w, r, ${go_url}, http.StatusFound)`
    : `\t\toptions := []oauth2.AuthCodeOption{oidc.Nonce(nonce), oauth2.S256ChallengeOption(pkce)}
		// /sign-in?organization=acme: ${organizationWords(values)}.
		if organization := r.FormValue("organization"); organization != "" {
			options = append(options, oauth2.SetAuthURLParam("organization", organization))
		}
		http.Redirect(w, r, config.AuthCodeURL(state, options...), http.StatusFound)`

const goSignedIn = (values: Values) =>
  values.organizations === 'none'
    ? '\t\tfmt.Fprintln(w, "Signed in as", id_token.Subject) // store this one: an email address can change'
    : `\t\tvar claims struct {
			OrgID string \`json:"org_id"\` // empty in no organization; compare it with what you asked for
		}
		if err := id_token.Claims(&claims); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		fmt.Fprintln(w, "Signed in as", id_token.Subject, "in", claims.OrgID) // store the subject: an email address can change`

const auth_styles = { none: 'AuthStyleInParams', client_secret_post: 'AuthStyleInParams', client_secret_basic: 'AuthStyleInHeader' }

export const go = (values: Values & { authentication: keyof typeof auth_styles }): ProgramSnippet => ({
  name: 'Go',
  program: {
    file: 'main.go',
    install: 'go mod init example\ngo get github.com/coreos/go-oidc/v3/oidc golang.org/x/oauth2',
    env: envOf(values),
    run: values.authentication === 'none' ? 'go run .' : withEnv('go run .'),
    opens: opensAt(values) && `${opensAt(values)}/sign-in`,
  },
  code: `package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"log"
	"net/http"${values.authentication === 'none' ? '' : '\n\t"os"'}
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

func main() {
	provider, err := oidc.NewProvider(context.Background(), ${double(values.issuer)})
	if err != nil {
		log.Fatal(err)
	}
	endpoint := provider.Endpoint()
	endpoint.AuthStyle = oauth2.${auth_styles[values.authentication]} // ${values.authentication}
	config := oauth2.Config{
		ClientID:     ${double(values.client_id)},${values.authentication === 'none' ? '' : '\n\t\tClientSecret: os.Getenv("OSTIARY_CLIENT_SECRET"),'}
		Endpoint:     endpoint,
		RedirectURL:  ${double(values.redirect_uri)},
		Scopes:       []string{oidc.ScopeOpenID, "profile", "email"},
	}
	verifier := provider.Verifier(&oidc.Config{ClientID: config.ClientID})

	http.HandleFunc("/sign-in", func(w http.ResponseWriter, r *http.Request) {
		state, nonce, pkce := rand.Text(), rand.Text(), oauth2.GenerateVerifier()
		http.SetCookie(w, &http.Cookie{
			Name: "sign_in", Value: strings.Join([]string{state, nonce, pkce}, "."),
			Path: "/", MaxAge: 600, HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: ${values.redirect_uri.startsWith('https:')},
		})
${goRedirect(values)}
	})

	http.HandleFunc(${double(callbackPath(values))}, func(w http.ResponseWriter, r *http.Request) {
		var checks []string
		if cookie, err := r.Cookie("sign_in"); err == nil {
			checks = strings.Split(cookie.Value, ".")
		}
		if len(checks) != 3 || r.FormValue("state") != checks[0] {
			http.Error(w, "This browser did not begin the sign-in.", http.StatusBadRequest)
			return
		}
		token, err := config.Exchange(r.Context(), r.FormValue("code"), oauth2.VerifierOption(checks[2]))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		raw, _ := token.Extra("id_token").(string)
		id_token, err := verifier.Verify(r.Context(), raw)
		if err != nil || id_token.Nonce != checks[1] {
			http.Error(w, "The ID token is not valid.", http.StatusBadRequest)
			return
		}
		http.SetCookie(w, &http.Cookie{Name: "sign_in", Path: "/", MaxAge: -1})
${goSignedIn(values)}
	})

	log.Fatal(http.ListenAndServe("${listenerOf(values).address}", nil))
}`,
})

const csharp_secret = `
        options.ClientSecret = builder.Configuration["OSTIARY_CLIENT_SECRET"];`

const csharpOrganization = (values: Values) => `
        // /?organization=acme: ${organizationWords(values)}. Compare org_id with it.
        options.Events.OnRedirectToIdentityProvider = context =>
        {
            string? organization = context.Request.Query["organization"];
            if (organization is not null) context.ProtocolMessage.SetParameter("organization", organization);
            return Task.CompletedTask;
        };`

export const dotnet = (values: Values & { registered_with: string }): ProgramSnippet => ({
  name: '.NET',
  is_not_run: true,
  program: {
    file: 'Program.cs',
    install: 'dotnet new web --name Example --output .\ndotnet add package Microsoft.AspNetCore.Authentication.OpenIdConnect',
    env: envOf(values),
    run: withEnv(`dotnet run --urls http://${listenerOf(values).address}`),
    opens: opensAt(values),
  },
  code: `using System.Security.Claims;
using Microsoft.AspNetCore.Authentication.Cookies;
using Microsoft.AspNetCore.Authentication.OpenIdConnect;
using Microsoft.IdentityModel.Protocols.OpenIdConnect;

var builder = WebApplication.CreateBuilder(args);
builder.Services
    .AddAuthentication(options =>
    {
        options.DefaultScheme = CookieAuthenticationDefaults.AuthenticationScheme;
        options.DefaultChallengeScheme = OpenIdConnectDefaults.AuthenticationScheme;
    })
    .AddCookie()
    .AddOpenIdConnect(options =>
    {
        options.Authority = ${double(values.issuer)};${isInsecure(values) ? '\n        options.RequireHttpsMetadata = false; // only since this issuer is http' : ''}
        options.ClientId = ${double(values.client_id)};
        // ASP.NET Core sends the secret in the body.${
          values.registered_with === 'client_secret_basic'
            ? '\n        // Change token_endpoint_auth_method of this application to client_secret: now it is client_secret_basic.'
            : ` This application is registered with ${values.registered_with}.`
        }${csharp_secret}
        options.CallbackPath = ${double(callbackPath(values))};
        options.ResponseType = OpenIdConnectResponseType.Code;
        options.ResponseMode = OpenIdConnectResponseMode.Query;
        options.UsePkce = true; // state and nonce are always sent
        options.Scope.Clear();
        options.Scope.Add("openid");
        options.Scope.Add("profile");
        options.Scope.Add("email");
        options.MapInboundClaims = false; // keeps the name "sub"${withOrganization(values, csharpOrganization(values))}
    });
builder.Services.AddAuthorization();

var app = builder.Build();
app.UseAuthentication();
app.UseAuthorization();
// Store "sub": an email address can change.
app.MapGet("/", (ClaimsPrincipal user) => $"Signed in as {user.FindFirstValue("sub")}${withOrganization(values, ' in {user.FindFirstValue("org_id")}')}").RequireAuthorization();
app.Run();`,
})

export const curl = (values: Values): ProgramSnippet => {
  const { issuer, client_id, redirect_uri, authentication } = values
  const credential = {
    none: `-d client_id=${client_id}`,
    client_secret_basic: `-u "${client_id}:$OSTIARY_CLIENT_SECRET"`,
    client_secret_post: `-d client_id=${client_id} --data-urlencode "client_secret=$OSTIARY_CLIENT_SECRET"`,
    private_key_jwt: '', // not shown: see snippets.ts
  }[authentication]
  const query = new URLSearchParams({ response_type: 'code', client_id, redirect_uri, scope: 'openid profile email' })
  return {
    name: 'curl',
    program: {
      file: 'sign-in.sh',
      install: '',
      env: envOf(values),
      run: authentication === 'none' ? 'sh sign-in.sh' : withEnv('sh sign-in.sh'),
      opens: null,
    },
    code: `# The client authenticates with ${authentication}.
issuer=${word(issuer)}
${withOrganization(values, `# sh sign-in.sh acme: ${organizationWords(values)}. Compare org_id of the ID token with it.\norganization=\${1:+"&organization=$1"}\n`)}verifier=$(openssl rand -hex 32)
challenge=$(printf '%s' "$verifier" | openssl dgst -sha256 -binary | openssl base64 -A | tr '+/' '-_' | tr -d '=')
state=$(openssl rand -hex 16)
nonce=$(openssl rand -hex 16)
echo "$issuer/oauth/authorize?${query}&state=$state&nonce=$nonce&code_challenge=$challenge&code_challenge_method=S256${withOrganization(values, '$organization')}"

echo 'Open that address, sign in, and paste the address that the browser returns to:'
read -r returned
part() { printf '%s' "$returned" | sed -n "s/.*[?&]$1=\\([^&]*\\).*/\\1/p"; }
[ "$(part state)" = "$state" ] || { echo 'This is not the answer to the request above.'; exit 1; }

tokens=$(curl -sS ${credential} "$issuer/v1/oauth/token" -d grant_type=authorization_code \\
  -d "code=$(part code)" -d "code_verifier=$verifier" --data-urlencode redirect_uri=${word(redirect_uri)})
echo "$tokens"

# Who it is: store sub, since an email address can change. A program also compares the nonce in the ID token.
access_token=$(printf '%s' "$tokens" | sed -n 's/.*"access_token":"\\([^"]*\\)".*/\\1/p')
curl -sS -H "Authorization: Bearer $access_token" "$issuer/v1/oauth/userinfo"`,
  }
}
