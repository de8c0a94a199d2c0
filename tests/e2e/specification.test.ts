import { connect } from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
import { askControl, askService, type ServiceAnswer } from './harness.ts';
import { stack } from './running.ts';

// Checks the rules of the service's specification on a running stack: at the sandbox, which must follow
// them, and through the companion, which must follow its side.

/** Sends one request to the service's API, with or without a key. */
const ask = (path: string, key?: string, method = 'GET', body?: string) =>
  askService(stack, path, { key, method, body });

async function throughCompanion(path: string): Promise<string[]> {
  const answer = await fetch(stack.backOffice + path, {
    headers: { authorization: `Bearer ${stack.secrets.backOfficeToken}` },
  });
  expect(answer.status).toBe(200);
  const { records } = (await answer.json()) as { records: { status: string }[] };
  return records.map(({ status }) => status);
}

const statuses = ({ body }: ServiceAnswer) =>
  (JSON.parse(body) as { records: { status: string }[] }).records.map(({ status }) => status);
const report = '/v2/post-sale/fundings/report';
const missing = (found: string[]) =>
  found.filter((status) => ['MISSING', 'ORIGINAL_TRANSACTION_MISSING'].includes(status));
const askMissing = async () =>
  missing(statuses(await ask(`${report}?showMissing=true`, stack.secrets.privateKey)));

/** Number of missing transactions that other test files of the shared stack left. */
let missingBefore: number;
beforeAll(async () => {
  missingBefore = (await askMissing()).length;
  // A lender pays for two transactions that the service does not have.
  for (const amount of [250, 12.5]) await askControl(stack, '/fundings', { amount });
});

describe('specification 4', () => {
  test('rule 1: without showMissing, or with false, no transaction is MISSING', async () => {
    for (const query of ['', '?showMissing=false']) {
      const answer = await ask(report + query, stack.secrets.privateKey);
      expect(missing(statuses(answer))).toEqual([]);
      expect(missing(await throughCompanion(`/fundings/report${query}`))).toEqual([]);
    }
  });

  test('rule 2: with showMissing=true the report contains them', async () => {
    const found = await askMissing();
    expect(found).toHaveLength(missingBefore + 2);
    expect(missing(await throughCompanion('/fundings/report?showMissing=true'))).toEqual(found);
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
