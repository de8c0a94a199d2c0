import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Origin of the stand-in for the hosted page; never that of the tests. */
    hostedOrigin: string;
  }
}

/**
 * A hosted page that speaks the frame protocol. It is played by the test: whatever is posted to it
 * as `{say}` it says to its parent. `manners` in its address: `deaf` does not answer `close`,
 * `mute` does not say `ready`. With `buttons` a person, or a test, can press through it.
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
const say = (message, to = query.get('origin')) => parent.postMessage(
  { protocol: 'financing-checkout', version: 1, session, ...message }, to);
addEventListener('message', ({ data }) => {
  if (data?.say) say(data.say);
  if (data?.type === 'close' && data.session === session && manners !== 'deaf')
    say({ type: 'ended', reason: 'cancelled' });
});
document.querySelector('#confirm').onclick = () => say({ type: 'confirmed', confirmationToken: 'token-1' });
document.querySelector('#decline').onclick = () => say({ type: 'ended', reason: 'declined' });
if (manners !== 'mute') say({ type: 'ready' });
</script></html>`;

/** Serves the page on a free port of this machine. */
export async function serveHostedPage(): Promise<{ origin: string; server: Server }> {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
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
