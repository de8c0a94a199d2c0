import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type {
  OfficeCheckout,
  Delivery,
  LedgerEntry,
  LostRecords,
  UnclearOperation,
} from '@financing-checkout/contract/back-office';
import { onTestFinished } from 'vitest';
import { historyService, type WireRecord } from '../sync/history.fixture.ts';
import { sha256 } from '../platform/digest.ts';
import type { FundingsOperation } from '../sync/source.ts';

export const COMPANION_TOKEN = 'companion-token-0001';

/** A companion's back office over HTTP, limited to what reconciliation uses. */
export interface TestCompanion {
  url: string;
  /** Records that the service returns. */
  records: WireRecord[];
  /** The companion's own ledger. */
  entries: LedgerEntry[];
  /** Operations that need a person, and messages that the companion gave up on. */
  operations: UnclearOperation[];
  webhooks: Delivery[];
  /** Operations requested with the program's own token; the others were requested with other tokens. */
  own: UnclearOperation[];
  others: UnclearOperation[];
  /** Records that the companion's store has lost. */
  lost: LostRecords['records'];
  /** Checkouts by application ID. */
  checkouts: Record<string, OfficeCheckout[]>;
  /** Requested paths with their queries, in order. */
  requests: string[];
  environment: string;
  /** Called before the companion responds. Returns true if it has responded itself. */
  before:
    | ((request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>)
    | undefined;
  close(): Promise<void>;
}

export async function startCompanion(
  atEnd: (close: () => Promise<void>) => void = onTestFinished,
): Promise<TestCompanion> {
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const companion: TestCompanion = {
    url: `http://127.0.0.1:${port}`,
    records: [],
    entries: [],
    requests: [],
    environment: 'sandbox',
    before: undefined,
    operations: [],
    webhooks: [],
    own: [],
    others: [],
    lost: [],
    checkouts: {},
    async close() {
      server.closeAllConnections();
      if (server.listening) await new Promise((resolve) => void server.close(resolve));
    },
  };
  atEnd(() => companion.close());
  return companion;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    companion.requests.push(request.url ?? '');
    if (await companion.before?.(request, response)) return;
    if (request.headers.authorization !== `Bearer ${COMPANION_TOKEN}`) {
      problem(response, 401, 'token-invalid');
      return;
    }
    const url = new URL(request.url ?? '', companion.url);
    const query = (name: string) => url.searchParams.get(name) ?? '';
    const send = (body: string | Uint8Array) => {
      response.setHeader('financing-environment', companion.environment);
      response.setHeader('content-type', 'application/json').end(body);
    };
    if (url.pathname === '/fundings/pages') {
      const page = await historyService(companion.records).fetchPage({
        operation: query('operation') as FundingsOperation,
        from: query('from'),
        to: query('to'),
        offset: Number(query('offset')),
        limit: Number(query('limit')),
      });
      const isKnown =
        page.kind === 'page' && request.headers['if-none-match'] === `"${sha256(page.bytes)}"`;
      if (isKnown) {
        response.statusCode = 304;
        send('');
      } else if (page.kind === 'page') send(page.bytes);
      else problem(response, 503, 'overloaded');
      return;
    }
    if (url.pathname === '/charge-operations' && query('state') === 'unclear') {
      send(JSON.stringify({ operations: companion.operations }));
      return;
    }
    if (url.pathname === '/charge-operations' && query('state') === '') {
      const ids = query('ids').split(',');
      const listed =
        query('actor') === 'own'
          ? companion.own
          : [...companion.own, ...companion.others].filter(({ id }) => ids.includes(id));
      send(JSON.stringify({ operations: listed }));
      return;
    }
    if (url.pathname === '/webhooks' && query('state') === 'dead') {
      send(JSON.stringify({ deliveries: companion.webhooks }));
      return;
    }
    if (url.pathname === '/lost-records') {
      send(JSON.stringify({ records: companion.lost }));
      return;
    }
    if (url.pathname === '/charges') {
      send(JSON.stringify({ charges: [] }));
      return;
    }
    if (url.pathname === '/checkouts') {
      const checkouts =
        companion.checkouts[query('applicationId') || query('merchantOrderId')] ?? [];
      send(JSON.stringify({ checkouts }));
      return;
    }
    if (url.pathname !== '/ledger') {
      problem(response, 404, 'not-found');
      return;
    }
    const order = url.searchParams.get('merchantOrderId');
    const rest = companion.entries.filter(
      ({ id, merchantOrderId }) =>
        id > Number(query('after')) && (order === null || merchantOrderId === order),
    );
    const entries = rest.slice(0, Number(query('limit')));
    const next = rest.length > entries.length ? { next: entries.at(-1)?.id } : {};
    send(JSON.stringify({ entries, ...next }));
  }
}

/** Responds with a problem from the contract. */
export function problem(
  response: ServerResponse,
  status: number,
  code: string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/problem+json', ...headers });
  const type = `urn:financing-checkout:problem:${code}`;
  response.end(
    JSON.stringify({ type, code, title: 'T', status, requestId: 'req-1', retrySafe: true }),
  );
}

/** Returns a settle from the companion's ledger. */
export function settle(
  id: number,
  merchantOrderId: string,
  value: number,
  change: Partial<LedgerEntry> = {},
): LedgerEntry {
  return {
    id,
    merchantOrderId,
    type: 'Settle',
    state: 'accepted',
    amount: { value, currency: 'USD' },
    merchantTransactionId: `mtx-${merchantOrderId}`,
    transactionId: `txn-${merchantOrderId}`,
    occurredAt: new Date(Date.now() - 3 * 86_400_000).toISOString(),
    ...change,
  };
}

/** The companion's answer to an operation on a charge. */
export const chargeOperation = {
  id: 'opr_1',
  chargeId: 'c-1',
  kind: 'settle',
  state: 'accepted',
  amount: { value: 500, currency: 'USD' },
  merchantTransactionId: 'mtx-1',
  createdAt: '2026-01-01T00:00:00Z',
  updatedAt: '2026-01-01T00:00:00Z',
};
