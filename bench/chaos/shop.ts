import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Chance } from '../fuzz/chance.ts';

/** A webhook message about a checkout. */
export interface CheckoutMessage {
  checkoutId: string;
  merchantOrderId: string;
  revision: number;
  status: string;
  chargeId?: string;
  amount: { value: number; currency: string };
}

/** The shop's backend, which receives results by webhook and keeps its orders. */
export interface Shop {
  url: string;
  /** Latest message about each checkout. */
  checkouts: ReadonlyMap<string, CheckoutMessage>;
  /** Number of messages with a wrong signature. */
  readonly forged: number;
  /** Resolves when the order is paid. */
  paid(merchantOrderId: string): Promise<void>;
  stop(): void;
}

/** Starts the backend. It is down at times, and sometimes fails after it has stored a message. */
export async function openShop(options: {
  secret: string;
  seed: number;
  onMessage: (message: CheckoutMessage) => void;
}): Promise<Shop> {
  const key = Buffer.from(options.secret.replace('whsec_', ''), 'base64');
  const chance = new Chance(options.seed, 3);
  const checkouts = new Map<string, CheckoutMessage>();
  const waiting = new Map<string, (() => void)[]>();
  let forged = 0;

  function keep(message: CheckoutMessage): void {
    const known = checkouts.get(message.checkoutId);
    if (known && known.revision >= message.revision) return;
    checkouts.set(message.checkoutId, message);
    if (message.status !== 'approved') return;
    for (const resolve of waiting.get(message.merchantOrderId) ?? []) resolve();
    waiting.delete(message.merchantOrderId);
  }

  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const header = (name: string) => String(request.headers[name] ?? '');
      const signed = `${header('webhook-id')}.${header('webhook-timestamp')}.${body}`;
      const mine = Buffer.from(createHmac('sha256', key).update(signed).digest('base64'));
      const theirs = Buffer.from(header('webhook-signature').replace(/^v1,/, ''));
      if (mine.length !== theirs.length || !timingSafeEqual(mine, theirs)) {
        forged++;
        response.writeHead(401).end();
        return;
      }
      if (chance.yes(0.05)) {
        response.writeHead(500).end();
        return;
      }
      const message = (JSON.parse(body) as { data: CheckoutMessage }).data;
      keep(message);
      options.onMessage(message);
      if (chance.yes(0.05)) request.socket.destroy();
      else response.writeHead(204).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    checkouts,
    get forged() {
      return forged;
    },
    paid(merchantOrderId) {
      for (const message of checkouts.values()) {
        if (message.merchantOrderId === merchantOrderId && message.status === 'approved') {
          return Promise.resolve();
        }
      }
      return new Promise((resolve) => {
        waiting.set(merchantOrderId, [...(waiting.get(merchantOrderId) ?? []), resolve]);
      });
    },
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
