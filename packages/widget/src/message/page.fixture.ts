import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { inject } from 'vitest';
import { reservingSheet } from './reserve.fixture.ts';

/**
 * A shop's page with messages from the CDN build, under a strict content security policy, and a
 * companion.
 */
export interface MessagePage {
  readonly url: string;
  readonly companion: string;
  /** Requests for programmes. */
  readonly asked: string[];
  /** The companion's response. */
  programmes: object | string;
  /** HTML of the page's body, without the script. */
  body: string;
  /** Nonce with which the page allows styles. */
  readonly nonce: string;
  close(): void;
}

async function listen(listener: RequestListener): Promise<[string, Server]> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return [`http://127.0.0.1:${(server.address() as AddressInfo).port}`, server];
}

export async function openMessagePage(): Promise<MessagePage> {
  const made = inject('builtWidget');
  const page = { programmes: {} as object | string, body: '', nonce: 'nonce-1' };
  const asked: string[] = [];
  const [companion, companionServer] = await listen((request, response) => {
    asked.push(`${request.headers.cookie ?? ''}${request.url ?? ''}`);
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader('content-type', 'application/json');
    const { programmes } = page;
    response.end(typeof programmes === 'string' ? programmes : JSON.stringify(programmes));
  });
  const [url, shopServer] = await listen((request, response) => {
    const path = request.url ?? '/';
    if (path.endsWith('.js')) {
      response.setHeader('content-type', 'text/javascript').end(readFileSync(join(made, path)));
    } else if (path === '/page.css') {
      response.setHeader('content-type', 'text/css').end(`${reservingSheet()}
        body { font: 16px/1.5 system-ui, sans-serif; margin: 1em }`);
    } else {
      response.writeHead(200, {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': [
          "default-src 'none'",
          "script-src 'self'",
          `style-src 'self' 'nonce-${page.nonce}'`,
          `connect-src ${companion}`,
          'img-src data:',
          "base-uri 'none'",
          "require-trusted-types-for 'script'",
          'trusted-types lit-html',
        ].join('; '),
      });
      response.end(`<!doctype html><html lang="en"><meta charset="utf-8"><title>Shop</title>
        <meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">
        <link rel="stylesheet" href="/page.css">
        <script type="module" src="/message/financing-message.js"></script>
        <h1>Lounge Chair No. 4</h1><p>$890.00</p>${page.body}<p id="after">Free returns.</p></html>`);
    }
  });
  return Object.assign(page, {
    url,
    companion,
    asked,
    close: () => {
      for (const server of [companionServer, shopServer]) {
        server.closeAllConnections();
        server.close();
      }
    },
  });
}
