/** A small Django site, in which libraries are tried. Its first page names the person and signs out by a form. */
import { own, type Part, type Walk } from './product.ts'

export const django = '5.2.8'

export const settings = own(`SECRET_KEY = "of this run alone"
DEBUG = True
ALLOWED_HOSTS = ["localhost"]
ROOT_URLCONF = "urls"
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
]
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "{folder}/site.sqlite"}}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
AUTHENTICATION_BACKENDS = ["django.contrib.auth.backends.ModelBackend"]
EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
`)

/** @param paths those of the library; a sign-in that begins by a link needs none */
export const urls = (paths: { sign_out: string; sign_in?: string }): Part =>
  own(`from django.contrib.auth.views import LogoutView
from django.http import HttpResponse
from django.middleware.csrf import get_token
from django.urls import path


def home(request):
    user = request.user
    who = f"{user.get_username()} {user.email}" if user.is_authenticated else "nobody"
    token = f'<input type="hidden" name="csrfmiddlewaretoken" value="{get_token(request)}">'
    return HttpResponse(
        f'<p>{who}</p><form method="post" action="${paths.sign_out}">{token}<button>Sign out</button></form>'
        f'<form method="post" action="${paths.sign_in ?? ''}">{token}<button>Sign in</button></form>'
    )


urlpatterns = [path("", home), path("sign-out/", LogoutView.as_view(next_page="/"))]
`)

export const run = {
  environment: [own('DJANGO_SETTINGS_MODULE=settings\nPYTHONPATH={folder}')],
  prepare: ['python -m django migrate --verbosity 0'],
  start: 'python -m django runserver --noreload {port}',
  ready: '/',
} as const

/** The first page shows the address of a person. */
export const walk = {
  async who({ page, url }) {
    await page.goto(`${url}/`)
    return page.locator('body').innerText()
  },
  shown: ({ email }) => email,
  async signOut({ page, url }) {
    await page.goto(`${url}/`)
    await page.getByRole('button', { name: 'Sign out' }).click()
  },
} satisfies Partial<Walk>
