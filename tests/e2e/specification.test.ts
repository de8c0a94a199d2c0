import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { askService, freshStack, type ServiceAnswer } from './harness.ts';

// The rules of the service's specification, checked on the wire of a running stack: once at the
// sandbox, which must hold them, and once through the companion, which must hold its side.

let stack: Awaited<ReturnType<typeof freshStack>>;

beforeAll(async () => {
  stack = await freshStack();
  // A lender pays for two transactions that the service does not have.
  for (const amount of [250, 12.5]) {
    const answer = await fetch(`${stack.control}/fundings`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ amount }),
    });
    expect(answer.status).toBe(201);
  }
});
afterAll(() => stack.remove());

/** Sends one request to the service's API with any key, or none. */
const ask = (path: string, key?: string, method = 'GET', body?: string) =>
  askService(stack, path, { key, method, body });

async function throughCompanion(path: string): Promise<{ status: string }[]> {
  const answer = await fetch(stack.backOffice + path, {
    headers: { authorization: `Bearer ${stack.secrets.backOfficeToken}` },
  });
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { records: { status: string }[] }).records;
}

const statuses = ({ body }: ServiceAnswer) =>
  (JSON.parse(body) as { records: { status: string }[] }).records.map(({ status }) => status);
const report = '/v2/post-sale/fundings/report';
const missing = ['MISSING', 'ORIGINAL_TRANSACTION_MISSING'];

describe('specification 4', () => {
  test('rule 1: without showMissing, or with false, no transaction is MISSING', async () => {
    for (const query of ['', '?showMissing=false']) {
      const seen = statuses(await ask(report + query, stack.secrets.privateKey));
      expect(seen.filter((status) => missing.includes(status))).toEqual([]);
      expect(await throughCompanion(`/fundings/report${query}`)).toEqual([]);
    }
  });

  test('rule 2: with showMissing=true they are there', async () => {
    const seen = statuses(await ask(`${report}?showMissing=true`, stack.secrets.privateKey));
    expect(seen).toHaveLength(2);
    expect(seen.every((status) => missing.includes(status))).toBe(true);
    expect(await throughCompanion('/fundings/report?showMissing=true')).toHaveLength(2);
  });
});

describe('specification 5', () => {
  test('rule 1: a request over plain HTTP fails', async () => {
    const { port } = new URL(stack.sandboxApi);
    const seen = await new Promise<string>((resolve) => {
      let text = '';
      const socket = connect(Number(port), 'localhost', () =>
        socket.write(
          `GET ${report} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${stack.secrets.privateKey}\r\n\r\n`,
        ),
      );
      socket.on('data', (chunk) => (text += chunk.toString('latin1')));
      socket.on('error', () => undefined);
      socket.on('close', () => resolve(text));
    });
    expect(seen).not.toMatch(/^HTTP\/1\.1 2/);
    expect(seen).not.toContain('records');
  });

  test('rule 2: the private key as a Bearer token opens every operation', async () => {
    for (const path of [
      report,
      '/v1/post-sale/fundings/records',
      '/v2/post-sale/fundings/records',
    ]) {
      expect((await ask(path, stack.secrets.privateKey)).status).toBe(200);
    }
  });

  test('rule 3: a missing or incorrect key is 401, and so is the public key', async () => {
    const { publicKey, privateKey } = stack.secrets;
    for (const key of [undefined, 'wrong', publicKey, `${privateKey}x`, privateKey.slice(1)]) {
      expect((await ask(report, key)).status).toBe(401);
      expect((await ask('/v1/checkout/prime', key, 'POST', '{}')).status).toBe(401);
    }
  });

  test('rule 5: a key of this environment is 401 at the others', async () => {
    for (const other of ['/uat', '/production']) {
      expect((await ask(other + report, stack.secrets.privateKey)).status).toBe(401);
    }
  });
});
