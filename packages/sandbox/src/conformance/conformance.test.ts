import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serverIdentity } from '../listener/authority.ts';
import { discard, startTestSandbox, type TestSandbox } from '../sandbox.fixture.ts';
import { rules } from './rules/index.ts';
import { runConformance, type ConformanceOptions } from './suite.ts';
import { conformanceTable } from './table.ts';

describe('against any service', () => {
  let test: TestSandbox;
  beforeAll(async () => {
    test = await startTestSandbox();
  });
  afterAll(() => discard(test));

  const options = (): ConformanceOptions => ({
    ...test.environment('sandbox'),
    environment: 'sandbox',
    ca: readFileSync(test.sandbox.caFile, 'utf8'),
  });

  it('sends only GET without write', async () => {
    await test.control('DELETE', '/calls');
    const { results } = await runConformance(options());
    expect(test.sandbox.calls().length).toBeGreaterThan(10);
    expect(new Set(test.sandbox.calls().map(({ method }) => method))).toEqual(new Set(['GET']));
    const writing = rules.filter(({ writes }) => writes).map(({ id }) => id);
    const notRun = results.filter(({ verdict }) => verdict === 'not-run').map(({ rule }) => rule);
    expect(notRun).toEqual(expect.arrayContaining(writing));
  });

  it('passes no rule without evidence', async () => {
    const { results } = await runConformance({
      ...options(),
      only: ['2', '3', '4.1', '4.2', '4.3'],
    });
    const verdicts = new Set(results.map(({ verdict }) => verdict));
    expect(verdicts).toEqual(new Set(['not-checkable', 'not-run']));
  });

  it('runs only the chosen rules, by id or by section', async () => {
    const only = async (...ids: string[]) =>
      (await runConformance({ ...options(), only: ids })).results.map(({ rule }) => rule);
    expect(await only('4.1')).toEqual(['4.1']);
    expect(await only('5.3')).toEqual(['5.3.missing', '5.3.incorrect', '5.3.outdated']);
    expect(await only('9', '4.2')).toEqual(['4.2', '9.path', '9.unchanged', '9.successor']);
  });

  it('fails for an undocumented field on this machine, and only notes it on others', async () => {
    const more: RequestListener = (_request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ records: [], nextPage: 2 }));
    };
    await withServer(more, async (baseUrl, ca) => {
      const run = (unpublished?: 'note') =>
        runConformance({
          ...options(),
          baseUrl,
          ca,
          only: ['published.fundings.report'],
          ...(unpublished && { unpublished }),
        });
      const text = 'status 200: fundings.report: nextPage: the field is not published';
      const here = await run();
      expect(here).toMatchObject({ failed: 1, notes: [] });
      expect(here.results[0]?.seen).toContain(text);
      const onAnotherMachine = await run('note');
      expect(onAnotherMachine).toMatchObject({ passed: 1, failed: 0 });
      expect(onAnotherMachine.notes).toContain(text);
      expect(conformanceTable(onAnotherMachine)).toContain(text);
    });
  });

  it('skips the charge rules without a token, and rejects a token in production', async () => {
    const { results } = await runConformance({ ...options(), write: true, only: ['charges'] });
    const verdicts = new Map(results.map(({ rule, verdict }) => [rule, verdict]));
    expect(verdicts.get('charges.idempotency')).toBe('not-run');
    expect(verdicts.get('charges.unknown')).toBe('pass');
    const production = { ...options(), ...test.environment('production'), write: true };
    await expect(
      runConformance({ ...production, environment: 'production', confirmationTokens: ['t'] }),
    ).rejects.toThrow(/A charge in production is real/);
  });

  it('sends a production key only to production', async () => {
    await test.control('DELETE', '/calls');
    const { results } = await runConformance({
      ...options(),
      ...test.environment('production'),
      environment: 'production',
      otherBaseUrls: [test.environment('uat').baseUrl],
      only: ['5.5', '5.6'],
    });
    expect(results.find(({ rule }) => rule === '5.5')?.verdict).toBe('not-run');
    const environments = test.sandbox.calls().map(({ environment }) => environment);
    expect(new Set(environments)).toEqual(new Set(['production']));
  });

  it.each<[string, Partial<ConformanceOptions>]>([
    ['plain HTTP', { baseUrl: 'http://localhost:1' }],
    ['no address', { baseUrl: 'localhost' }],
    ['a password in the address', { baseUrl: 'https://a:b@localhost:1' }],
    ['an empty key', { privateKey: '' }],
    ['a key with a line break', { privateKey: 'secret-part\nmore' }],
    ['an address where nothing listens', { baseUrl: 'https://localhost:9' }],
    ['a certificate of an unknown CA', { ca: '' }],
    ['a CA that is no certificate', { ca: 'junk' }],
    ['no such rule', { only: ['4.9'] }],
    ['no such rule beside one', { only: ['4.1', '4.9'] }],
    ['a day that does not exist', { fromDate: '2026-02-31' }],
  ])('refuses %s before it starts, and repeats no key', async (_name, wrong) => {
    const { ca, ...rest } = { ...options(), ...wrong };
    const refused = runConformance(ca ? { ...rest, ca } : rest);
    await expect(refused).rejects.toMatchObject({ name: 'ConformanceError' });
    await expect(refused).rejects.not.toThrow(/secret-part/);
  });

  it('reports no key and no personal data from any response', async () => {
    const { privateKey, publicKey } = options();
    const hostile: RequestListener = (request, response) => {
      const records = [
        { status: privateKey, email: 'ada@example.com', [privateKey]: 'Ada Quayle' },
        { status: 'MISSING', firstName: 'Ada', [request.headers.authorization ?? 'x']: 1 },
      ];
      response.end(JSON.stringify({ records, [privateKey]: privateKey }));
    };
    await withServer(hostile, async (baseUrl, ca) => {
      const report = await runConformance({ ...options(), baseUrl, ca, write: true });
      expect(report.failed).toBeGreaterThan(5);
      const shown = JSON.stringify(report) + conformanceTable(report);
      for (const secret of [privateKey, publicKey, 'Ada', 'Quayle', 'example.com']) {
        expect(shown).not.toContain(secret);
      }
    });
  });

  it.each<[string, RequestListener, number?]>([
    ['cuts the connection', (request) => request.socket.destroy()],
    [
      'answers half',
      (_request, response) => {
        response.writeHead(200, { 'content-length': '100' }).write('{"records"', () => {
          response.destroy();
        });
      },
    ],
    ['redirects', (_request, response) => response.writeHead(302, { location: '/' }).end()],
    ['answers HTML', (_request, response) => response.end('<p>Down for maintenance</p>')],
    ['answers null', (_request, response) => response.end('null')],
    // Each rule waits until the time is over.
    ['never answers', () => undefined, 500],
  ])('ends without a passed content rule when the service %s', async (_name, behave, timeoutMs) => {
    let first = true;
    const listener: RequestListener = (request, response) => {
      // The first request only checks that the service responds.
      if (first) response.writeHead(401).end();
      else behave(request, response);
      first = false;
    };
    await withServer(listener, async (baseUrl, ca) => {
      const { results } = await runConformance({
        ...options(),
        baseUrl,
        ca,
        only: ['2.shape', '4', '9'],
        timeoutMs,
      });
      const passed = results.filter(({ verdict }) => verdict === 'pass').map(({ rule }) => rule);
      // Rules such as 4.report require only JSON, and null is JSON.
      expect(passed.filter((rule) => !rule.startsWith('4.re'))).toEqual([]);
    });
  });
});

/** Starts a misbehaving service over TLS. */
async function withServer(
  listener: RequestListener,
  use: (baseUrl: string, ca: string) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
  const { certificate, privateKey, caFile } = await serverIdentity(folder);
  const server = createServer({ cert: certificate, key: privateKey }, listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    await use(`https://localhost:${port}`, readFileSync(caFile, 'utf8'));
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    rmSync(folder, { recursive: true });
  }
}
