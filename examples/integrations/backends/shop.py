"""The merchant's half in Python, with nothing but its standard library: signs the order, serves the
page, takes the result. Any JWT and Standard Webhooks library does the same in fewer lines."""

import base64
import hashlib
import hmac
import json
import os
import time
import uuid
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

orders = {}

# Charges of which the merchant keeps nothing.
REVERSED = {"Voided", "Refunded", "PartiallySettledRefunded", "ChargedBack"}


def is_paid(data: dict, order: dict, environment: str) -> bool:
    """The rule of `isPaid` in @financing-checkout/ticket: `approved` alone pays nothing."""
    return (
        data["status"] == "approved"
        and data["environment"] == environment
        and data["merchantOrderId"] == order["merchantOrderId"]
        and data["amount"] == {"value": order["totalAmount"], "currency": order["currency"]}
        and data.get("chargeState") not in REVERSED
    )


def base64url(data: bytes) -> bytes:
    return base64.urlsafe_b64encode(data).rstrip(b"=")


def sign_order_ticket(order: dict, secret: str, environment: str) -> str:
    """A compact JWS, HS256 (RFC 7515): what the companion takes as the order."""
    now = int(time.time())
    claims = {
        "aud": "financing-companion",
        "iat": now,
        "exp": now + 1800,
        "jti": str(uuid.uuid4()),
        # A companion in another environment refuses the ticket.
        "env": environment,
        "order": order,
    }
    header = {"alg": "HS256", "typ": "JWT"}
    signed = b".".join(base64url(json.dumps(part).encode()) for part in (header, claims))
    signature = hmac.new(secret.encode(), signed, hashlib.sha256).digest()
    return (signed + b"." + base64url(signature)).decode()


def is_from_companion(headers, body: bytes, secret: str) -> bool:
    """Checks a Standard Webhooks signature: base64(HMAC-SHA256(id.timestamp.body))."""
    sent_at = headers.get("webhook-timestamp", "")
    # Seconds since 1970: ten digits until 2286.
    if not sent_at.isdecimal() or len(sent_at) > 10 or abs(time.time() - int(sent_at)) > 300:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{headers.get('webhook-id', '')}.{sent_at}.".encode() + body
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    # There are several signatures while the secret is being changed: "v1,… v1,…"
    sent = headers.get("webhook-signature", "").split()
    return any(hmac.compare_digest(one.encode(), b"v1," + expected) for one in sent)


class Shop(SimpleHTTPRequestHandler):
    # PAGES contains the cdn folder of @financing-checkout/widget as /financing-checkout/.
    extensions_map = {**SimpleHTTPRequestHandler.extensions_map, ".js": "text/javascript"}

    def do_POST(self):
        body = self.rfile.read(min(int(self.headers.get("content-length", 0)), 65536))
        if self.path == "/order":
            self.make_order()
        elif self.path == "/webhooks/financing":
            self.take_result(body)
        else:
            self.answer(404, {"error": "There is no such page."})

    def do_GET(self):
        if not self.path.startswith("/order/"):
            super().do_GET()
            return
        order = orders.get(self.path.removeprefix("/order/"))
        if order:
            self.answer(200, {"status": order["status"]})
        else:
            self.answer(404, {"error": "There is no such order."})

    def make_order(self):
        # The shop decides what is in the order. The browser states no price and only carries what
        # is signed here.
        order = {
            "merchantOrderId": f"A-{uuid.uuid4()}",
            "currency": "USD",
            "items": [{"name": "Lounge chair", "sku": "LC-1", "price": 89000, "quantity": 1}],
            "taxAmount": 5563,
            "shippingAmount": 0,
            "totalAmount": 94563,
        }
        orders[order["merchantOrderId"]] = {**order, "status": "open", "seen": {}}
        environment = os.environ["FINANCING_ENVIRONMENT"]
        secret = os.environ["ORDER_TICKET_SECRET"]
        self.answer(
            200,
            {
                "merchantOrderId": order["merchantOrderId"],
                "ticket": sign_order_ticket(order, secret, environment),
                "publicKey": os.environ["FINANCING_PUBLIC_API_KEY"],
                "environment": environment,
                "companion": os.environ["COMPANION_URL"],
            },
        )

    def take_result(self, body: bytes):
        if not is_from_companion(self.headers, body, os.environ["COMPANION_WEBHOOK_SECRET"]):
            self.answer(401, {"error": "The signature or the timestamp is not valid."})
            return
        data = json.loads(body)["data"]
        order = orders.get(data["merchantOrderId"])
        if not order:
            self.answer(404, {"error": "There is no such order."})
            return
        # Messages arrive at least once and in any order, so an older one changes nothing. Each of
        # an order's checkouts counts its own revisions, and a shopper who was declined may start
        # another.
        if data["revision"] > order["seen"].get(data["checkoutId"], 0):
            order["seen"][data["checkoutId"]] = data["revision"]
            if is_paid(data, order, os.environ["FINANCING_ENVIRONMENT"]):
                order["status"] = "paid"
        self.send_response(204)
        self.end_headers()

    def answer(self, status: int, content: dict):
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    address = ("localhost", int(os.environ["PORT"]))
    server = ThreadingHTTPServer(address, partial(Shop, directory=os.environ["PAGES"]))
    print(f"The shop is at http://localhost:{address[1]}", flush=True)
    server.serve_forever()
