/** Receivers in five languages that verify signatures by Standard Webhooks, also with two of them during a rotation. A test runs them. */

const typescript = `import { createServer } from 'node:http'
import { verifyWebhook } from '@ostiary/sdk/webhooks'

const secret = process.env.OSTIARY_WEBHOOK_SECRET

createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  try {
    const { message_id, event } = await verifyWebhook({ headers: request.headers, body: Buffer.concat(chunks) }, { secret })
    console.log(message_id, event.type)
    response.writeHead(204).end()
  } catch {
    response.writeHead(400).end()
  }
}).listen(Number(process.env.PORT ?? 8080), '127.0.0.1')`

const python = `import base64, hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, HTTPServer

KEY = base64.b64decode(os.environ["OSTIARY_WEBHOOK_SECRET"].removeprefix("whsec_"))

def verify(headers, body):
    message_id, timestamp = headers["webhook-id"], headers["webhook-timestamp"]
    if abs(time.time() - int(timestamp)) > 300:
        raise ValueError("The timestamp is too far off.")
    signed = f"{message_id}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.new(KEY, signed, hashlib.sha256).digest())
    if not any(hmac.compare_digest(each.encode(), expected) for each in headers["webhook-signature"].split()):
        raise ValueError("The signature does not verify.")
    return message_id, json.loads(body)

class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        try:
            message_id, event = verify(self.headers, body)
            print(message_id, event["type"], flush=True)
            self.send_response(204)
        except (AttributeError, TypeError, ValueError):
            self.send_response(400)
        self.end_headers()

HTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8080"))), Receiver).serve_forever()`

const go = `package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

func verify(header http.Header, body []byte) error {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("OSTIARY_WEBHOOK_SECRET"), "whsec_"))
	if err != nil {
		return err
	}
	id, timestamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > 5*time.Minute {
		return errors.New("the timestamp is too far off")
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, timestamp, body)
	expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	for _, signature := range strings.Fields(header.Get("webhook-signature")) {
		if hmac.Equal([]byte(signature), expected) {
			return nil
		}
	}
	return errors.New("the signature does not verify")
}

func main() {
	port := os.Getenv("PORT")
	if port == "" {
		port = "8080"
	}
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil || verify(r.Header, body) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		fmt.Println(r.Header.Get("webhook-id"))
		w.WriteHeader(http.StatusNoContent)
	})
	if err := http.ListenAndServe("127.0.0.1:"+port, nil); err != nil {
		panic(err)
	}
}`

const ruby = `require "base64"
require "json"
require "openssl"
require "sinatra"

KEY = Base64.strict_decode64(ENV.fetch("OSTIARY_WEBHOOK_SECRET").delete_prefix("whsec_"))

def verify(id, timestamp, signatures, body)
  raise "The timestamp is too far off." if (Time.now.to_i - Integer(timestamp, 10)).abs > 300
  expected = "v1," + Base64.strict_encode64(OpenSSL::HMAC.digest("SHA256", KEY, "#{id}.#{timestamp}.#{body}"))
  raise "The signature does not verify." unless signatures.split.any? { |each| OpenSSL.secure_compare(each, expected) }
  JSON.parse(body)
end

post "/" do
  id, timestamp, signatures = %w[ID TIMESTAMP SIGNATURE].map { |name| request.env["HTTP_WEBHOOK_#{name}"].to_s }
  event = verify(id, timestamp, signatures, request.body.read)
  puts id, event["type"]
  204
rescue StandardError
  400
end`

const java = `import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public class Receiver {
  static final byte[] KEY = Base64.getDecoder().decode(System.getenv("OSTIARY_WEBHOOK_SECRET").substring("whsec_".length()));

  static boolean verifies(String id, String timestamp, String signatures, byte[] body) throws Exception {
    if (Math.abs(Instant.now().getEpochSecond() - Long.parseLong(timestamp)) > 300) return false;
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(KEY, "HmacSHA256"));
    mac.update((id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8));
    byte[] expected = ("v1," + Base64.getEncoder().encodeToString(mac.doFinal(body))).getBytes(StandardCharsets.UTF_8);
    for (String signature : signatures.split(" "))
      if (MessageDigest.isEqual(signature.getBytes(StandardCharsets.UTF_8), expected)) return true;
    return false;
  }

  public static void main(String[] arguments) throws Exception {
    int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "8080"));
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
    server.createContext("/", exchange -> {
      var headers = exchange.getRequestHeaders();
      String id = headers.getFirst("webhook-id");
      int status = 400;
      try {
        byte[] body = exchange.getRequestBody().readAllBytes();
        if (verifies(id, headers.getFirst("webhook-timestamp"), headers.getFirst("webhook-signature"), body)) status = 204;
      } catch (Exception refused) {
        status = 400;
      }
      if (status == 204) System.out.println(id);
      exchange.sendResponseHeaders(status, -1);
      exchange.close();
    });
    server.start();
  }
}`

export const verifySnippets = [
  { name: 'TypeScript', code: typescript },
  { name: 'Python', code: python },
  { name: 'Go', code: go },
  { name: 'Ruby', code: ruby, is_not_run: true },
  { name: 'Java', code: java },
] as const
