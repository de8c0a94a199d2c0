import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Origin of the fake hosted page, which differs from the tests' origin. */
    hostedOrigin: string;
  }
}

/**
 * A hosted page that implements the frame protocol. A test controls it: the page forwards the
 * content of a `{say}` message to its parent or opener. The URL parameter `manners` overrides its
 * behavior: `deaf` does not respond to `close`, `mute` does not send `ready`, `isolated` isolates
 * the page from its opener. The page's buttons complete it. Without a parent or opener, it
 * navigates to `return`, with the result in the fragment after the route.
 */
const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Lender</title>
<meta name="viewport" content="width=device-width">
<style>body{font:16px/1.5 system-ui;margin:2em}button{font:inherit;padding:.6em 1em;margin:.5em 0;display:block;inline-size:100%}</style>
<main><h1>Example Lender</h1><p>Offers for your order.</p>
<button id="confirm">Confirm an offer</button><button id="decline">Be declined</button></main>
<script>
const query = new URLSearchParams(location.search);
const manners = query.get('manners') ?? '';
const session = query.get('session');
const peer = parent !== window ? parent : opener;
const say = (message) => {
  peer?.postMessage({ protocol: 'financing-checkout', version: 1, session, ...message }, query.get('origin'));
  if (peer || !query.get('return') || message.type === 'ready') return;
  const fragment = new URLSearchParams({ 'financing-session': session });
  if (message.confirmationToken) fragment.set('financing-confirmation', message.confirmationToken);
  else fragment.set('financing-ended', message.reason);
  const back = query.get('return');
  const mark = !back.includes('#') ? '#' : back.split('#')[1].includes('?') ? '&' : '?';
  location.replace(back + mark + fragment);
};
addEventListener('message', ({ data }) => {
  if (data?.say) say(data.say);
  if (data?.type === 'close' && data.session === session && manners !== 'deaf')
    say({ type: 'ended', reason: 'cancelled' });
});
document.querySelector('#confirm').onclick = () => say({ type: 'confirmed', confirmationToken: 'token-1' });
document.querySelector('#decline').onclick = () => say({ type: 'ended', reason: 'declined' });
if (manners !== 'mute') say({ type: 'ready' });
</script></html>`;

/**
 * A scripted SDK modeled on the published one: `init` returns a promise, and `payments` appears
 * after the script has loaded. The SDK records calls, and the test invokes the callbacks.
 * `manners`: `init-rejects`, `init-rejects-once`, `init-hangs`, `late` (payments after one second),
 * `no-payments`, `no-cors` (no CORS headers).
 */
const sdk = `{
const { searchParams } = new URL(document.currentScript.src);
const name = searchParams.get('global');
const manners = searchParams.get('manners') ?? '';
const asked = { keys: [], shown: [], updates: [], disposed: 0 };
let refusals = { 'init-rejects': Infinity, 'init-rejects-once': 1 }[manners] ?? 0;
const sdk = window[name] = {
  asked,
  init: ({ apiKey }) => {
    asked.keys.push(apiKey);
    if (refusals-- > 0) return Promise.reject(new Error('secret'));
    return new Promise((resolve) => manners === 'init-hangs' || setTimeout(resolve, 20));
  },
  dispose: () => void (asked.disposed += 1),
  promotions: { update: (items) => void asked.updates.push(items) },
};
const payments = { present: (kind, options) => void asked.shown.push({ kind, options }) };
if (manners !== 'no-payments')
  setTimeout(() => (sdk.payments = payments), manners === 'late' ? 1000 : 40);
}`;

/** Names of scripts that have failed once and will succeed the second time. */
const failed = new Set<string>();

/** Serves the page, and scripts that load, fail once or hang, on a free port of this machine. */
export async function serveHostedPage(): Promise<{ origin: string; server: Server }> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    const manners = searchParams.get('manners') ?? '';
    if (pathname === '/sdk.js') {
      if (manners === 'slow') return;
      const name = searchParams.get('global') ?? '';
      const fails = manners === 'flaky' && !failed.has(name);
      failed.add(name);
      response
        .writeHead(fails ? 503 : 200, {
          'content-type': 'text/javascript',
          ...(manners !== 'no-cors' && { 'access-control-allow-origin': '*' }),
        })
        .end(fails ? '' : sdk);
      return;
    }
    // A proxy in front of the lender's servers reports that the servers are down, or hangs.
    if (pathname === '/hanging') return;
    if (pathname === '/broken') {
      response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>502 Bad Gateway</h1>');
      return;
    }
    response
      .writeHead(200, {
        'content-type': 'text/html; charset=utf-8',
        ...(manners === 'isolated' && { 'cross-origin-opener-policy': 'same-origin' }),
      })
      .end(page);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, server };
}

export default async function setup(project: TestProject): Promise<() => void> {
  const { origin, server } = await serveHostedPage();
  project.provide('hostedOrigin', origin);
  return () => {
    server.closeAllConnections();
    server.close();
  };
}
