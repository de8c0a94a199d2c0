import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ChargeAtService, knowOrders } from '../../charges/charge.fixture.ts';
import { BACK_OFFICE_TOKEN, createCompanion } from '../../companion.fixture.ts';
import { networkError } from '../../scripted-service.fixture.ts';
import { httpsServer } from '../https.fixture.ts';
import { exitCodes, processShell, runProgram } from '@financing-checkout/kit/cli';
import { commandsTo } from '../command.fixture.ts';
import { companionProgram } from './program.ts';

async function setUp(charge: ConstructorParameters<typeof ChargeAtService>[1] = {}) {
  const companion = await createCompanion();
  knowOrders(companion);
  const atService = new ChargeAtService(companion.service, charge);
  return { companion, atService, ...commandsTo(companion.backOffice) };
}

describe('charges', () => {
  test('list and get print formatted amounts', async () => {
    const { run } = await setUp({ settled: 10_001 });
    const { code, out } = await run('charges', 'list', 'order-1001');
    expect(code).toBe(0);
    expect(out).toMatch(/left to settle +174\.98 USD/);
    expect(out).toMatch(/left to refund +100\.01 USD/);
    expect((await run('charges', 'get', 'charge-1')).out).toBe(out);
  });

  test('settle, refund and void print their idempotency key', async () => {
    const { atService, run, err } = await setUp();
    expect((await run('charges', 'settle', 'charge-1', '100.00')).out).toContain(
      'settle 100.00 USD',
    );
    expect(err[0]).toMatch(/^Idempotency-Key [0-9a-f-]{36}$/);
    await run('charges', 'settle', 'charge-1');
    await run('charges', 'refund', 'charge-1', '0.01', '--json');
    expect([atService.settled, atService.refunded]).toEqual([27_499, 1]);
    const other = await setUp();
    expect((await other.run('charges', 'void', 'charge-1')).code).toBe(0);
    expect(other.atService.voided).toBe(true);
  });

  test('are refused by a companion of another environment, before it sends anything', async () => {
    const { companion, atService, run, shell } = await setUp({ settled: 100 });
    shell.env.FINANCING_ENVIRONMENT = 'production';
    const calls = companion.service.calls.length;
    for (const words of [
      ['charges', 'list', 'order-1001'],
      ['charges', 'settle', 'charge-1'],
      ['fundings', 'report'],
      ['webhooks', 'replay', '--all'],
    ]) {
      const { code, err, out } = await run(...words);
      expect([words[1], code, out]).toEqual([words[1], exitCodes.configuration, '']);
      expect(err).toMatch(/uses the environment "sandbox".*FINANCING_ENVIRONMENT is "production"/);
    }
    expect([companion.service.calls.length, atService.settled]).toEqual([calls, 100]);
    shell.env.FINANCING_ENVIRONMENT = 'sandbox';
    expect((await run('charges', 'list', 'order-1001')).code).toBe(0);
    shell.env.FINANCING_ENVIRONMENT = 'prod';
    expect((await run('charges', 'list', 'order-1001')).code).toBe(exitCodes.configuration);
  });

  test('--json prints only JSON', async () => {
    const { run } = await setUp();
    const { out } = await run('charges', 'settle', 'charge-1', '1.00', '--json');
    expect(JSON.parse(out)).toMatchObject({ kind: 'settle', amount: { value: 100 } });
    expect(JSON.parse((await run('charges', 'get', 'charge-1', '--json')).out)).toMatchObject({
      settled: { value: 100 },
    });
  });

  test.each([
    '100',
    '100.0',
    '100.000',
    '1e2',
    '-1.00',
    '1,00',
    ' 1.00',
    '.50',
    '99999999999999999.00',
  ])('rejects the ambiguous amount "%s"', async (amount) => {
    const { atService, run } = await setUp({ settled: 20_000 });
    const { code, err } = await run('charges', 'refund', 'charge-1', '--', amount);
    expect(code).toBe(exitCodes.failed);
    expect(err).not.toBe('');
    expect(atService.refunded).toBe(0);
  });

  test('prints the fields of a refusal and exits with 1', async () => {
    const { run } = await setUp({ settled: 100 });
    const { code, err } = await run('charges', 'refund', 'charge-1', '1.01');
    expect(code).toBe(exitCodes.failed);
    expect(err).toMatch(/amount-exceeds-charge/);
    expect(err).toMatch(/amount must be at most 100/);
  });

  test('exits with 75 for an unknown outcome, and prints the result when the key is used again', async () => {
    const { companion, atService, run } = await setUp();
    atService.faults = ['lost-after'];
    const settle = ['charges', 'settle', 'charge-1', '1.00', '--key', 'key-of-mine'];
    expect((await run(...settle)).code).toBe(exitCodes.unknown);
    companion.clock.advance(5_000);
    await companion.background.runOnce();
    expect((await run(...settle)).code).toBe(0);
    expect(atService.settled).toBe(100);
  });

  test.each(['EHOSTUNREACH', 'UND_ERR_CONNECT_TIMEOUT', 'SELF_SIGNED_CERT_IN_CHAIN'])(
    'exits with 69 when no request was sent, with the reason %s',
    async (reason) => {
      const { shell, run } = await setUp();
      shell.fetch = () => Promise.reject(networkError(reason));
      const { code, err } = await run('charges', 'void', 'charge-1');
      expect([code, err.includes(`(${reason})`)]).toEqual([exitCodes.unavailable, true]);
    },
  );

  test('detects that the storefront URL was given instead of the back-office URL', async () => {
    const { companion, shell, run } = await setUp();
    shell.fetch = async (url, init) => companion.storefront.request(url, init);
    for (const words of [
      ['get', 'charge-1'],
      ['void', 'charge-1'],
    ]) {
      expect((await run('charges', ...words)).err).toContain('COMPANION_BACK_OFFICE_URL');
    }
  });

  test.each([
    ['http://companion.internal:4001', exitCodes.configuration],
    ['http://10.0.0.7:4001', exitCodes.configuration],
    ['https://companion.internal:4001', 0],
    ['http://127.0.0.1:4001', 0],
    ['http://[::1]:4001', 0],
    ['http://localhost:4001', 0],
  ])(
    'sends no token over plain HTTP to another machine: %s exits with %i',
    async (url, expected) => {
      const { shell, run } = await setUp();
      shell.env.COMPANION_BACK_OFFICE_URL = url;
      const { code, err } = await run('charges', 'get', 'charge-1');
      expect(code).toBe(expected);
      if (expected === 0) return;
      expect(err).toMatch(
        /^ {2}COMPANION_BACK_OFFICE_URL is plain http .*COMPANION_BACK_OFFICE_INSECURE/m,
      );
      shell.env.COMPANION_BACK_OFFICE_INSECURE = 'true';
      expect((await run('charges', 'get', 'charge-1')).code).toBe(0);
      delete shell.env.COMPANION_BACK_OFFICE_INSECURE;
      // Without a token, no secret is sent over the wire.
      delete shell.env.COMPANION_BACK_OFFICE_TOKEN;
      expect((await run('charges', 'get', 'charge-1')).code).toBe(exitCodes.denied);
    },
  );

  test('an id with any characters stays one path segment', async () => {
    const { companion, run } = await setUp();
    await run('charges', 'get', '../../checkouts?merchantOrderId=1');
    expect(companion.service.calls.map(({ path }) => path)).toEqual([
      '/v2/post-sale/charges/..%2F..%2Fcheckouts%3FmerchantOrderId%3D1',
    ]);
  });
});

test.each(['', '.', '..'])('refuses the id "%s" without sending a request', async (id) => {
  const { shell, run } = await setUp();
  const asked: string[] = [];
  shell.fetch = (url) => {
    asked.push(url);
    return Promise.resolve(new Response('{}'));
  };
  for (const words of [
    ['charges', 'get', id],
    ['charges', 'void', id],
    ['charges', 'resolve', id, '--done', '--note', 'seen', '--by', 'Ines'],
    ['webhooks', 'replay', id],
  ]) {
    const { code, err } = await run(...words);
    expect([words, code, err]).toEqual([
      words,
      exitCodes.failed,
      expect.stringContaining('are not valid'),
    ]);
  }
  expect(asked).toEqual([]);
});

describe('operations that await a person', () => {
  async function withUnclear() {
    const all = await setUp({ settled: 1_000 });
    all.atService.faults = ['lost-before'];
    await all.run('charges', 'refund', 'charge-1', '5.00', '--key', 'key-1');
    all.atService.refunded = 700;
    all.companion.clock.advance(190_000);
    await all.companion.background.runOnce();
    const id = (await all.companion.store.findChargeOperation('key-1'))?.id ?? '';
    const note = ['--note', 'portal: 7.00 by hand', '--by', 'Ines'];
    return { ...all, id, note };
  }

  test('are listed with the ids for a lookup, and resolved', async () => {
    const { run, id, note } = await withUnclear();
    const { code, out } = await run('charges', 'unclear');
    expect(code).toBe(0);
    expect(out).toMatch(/refund 5\.00 USD {2}unknown \(charge-moved\) {2}txn_/);
    expect(out).toContain(`operation ${id}  charge charge-1  order order-1001`);
    expect(JSON.parse((await run('charges', 'unclear', '--json')).out)).toMatchObject({ id });
    const resolved = await run('charges', 'resolve', id, '--not-done', ...note);
    expect([resolved.code, resolved.out]).toEqual([0, expect.stringContaining('rejected')]);
    expect((await run('charges', 'resolve', id, '--not-done', ...note)).code).toBe(0);
    const opposite = await run('charges', 'resolve', id, '--done', ...note);
    expect([opposite.code, opposite.err]).toEqual([
      exitCodes.failed,
      expect.stringContaining('operation-not-permitted'),
    ]);
    expect((await run('charges', 'unclear')).err).toBe('No operation waits for a person.');
  });

  test('are listed across all pages', async () => {
    const { run, shell } = await withUnclear();
    const first = JSON.parse((await run('charges', 'unclear', '--json')).out) as object;
    shell.fetch = (url) =>
      Promise.resolve(
        Response.json(
          url.endsWith('?state=unclear&after=opr_1')
            ? { operations: [{ ...first, id: 'opr_2' }] }
            : { operations: [{ ...first, id: 'opr_1' }], next: 'opr_1' },
        ),
      );
    expect((await run('charges', 'unclear')).out.match(/opr_\d/g)).toEqual(['opr_1', 'opr_2']);
  });

  test('--done records the actor and the note', async () => {
    const { run, id, note, companion } = await withUnclear();
    const { out } = await run('charges', 'resolve', id, '--done', ...note, '--json');
    expect(JSON.parse(out)).toMatchObject({
      state: 'accepted',
      resolution: { by: 'back-office, for Ines' },
    });
    expect(companion.service.callsTo('POST /v2/post-sale/charges/charge-1/refunds')).toHaveLength(
      1,
    );
  });

  test('require one resolution and a note', async () => {
    const { run, id, note, companion } = await withUnclear();
    for (const words of [
      note,
      ['--done', '--not-done', ...note],
      ['--done'],
      ['--done', '--note', ' '],
    ]) {
      expect((await run('charges', 'resolve', id, ...words)).code).toBe(exitCodes.failed);
    }
    expect((await companion.store.findChargeOperation('key-1'))?.state).toBe('unknown');
  });

  test('resolved with a named token need no actor and do not use the login name', async () => {
    const { run, id, companion, shell } = await withUnclear();
    shell.env.USER = 'root';
    expect((await run('charges', 'resolve', id, '--done', '--note', 'seen')).code).toBe(0);
    const resolved = await companion.store.findChargeOperation('key-1');
    expect(resolved?.resolution?.by).toBe('back-office');
  });

  test('resolved without a token use the login name as the actor', async () => {
    const { run, id, shell } = await withUnclear();
    delete shell.env.COMPANION_BACK_OFFICE_TOKEN;
    const bodies: unknown[] = [];
    shell.fetch = (_, init) => {
      bodies.push(JSON.parse(init.body as string));
      return Promise.resolve(new Response('{}'));
    };
    const words = ['charges', 'resolve', id, '--done', '--note', 'seen'];
    const unnamed = await run(...words);
    expect([unnamed.code, unnamed.err]).toEqual([
      exitCodes.failed,
      expect.stringContaining('--by'),
    ]);
    expect(bodies).toEqual([]);
    shell.env.USER = 'ines';
    await run(...words);
    expect(bodies).toEqual([{ outcome: 'done', by: 'ines', note: 'seen' }]);
  });
});

describe('webhooks', () => {
  async function withDead() {
    const all = await setUp();
    all.companion.shop.on('POST /webhooks', { status: 500, text: '' });
    for (const order of ['a', 'b'])
      await all.companion.open(`key-${order}`, { merchantOrderId: order });
    all.companion.clock.advance(3_600_000);
    for (let round = 0; round < 90; round++) {
      await all.companion.background.runOnce();
      all.companion.clock.advance(3_600_000);
    }
    all.companion.shop.on('POST /webhooks', { status: 204, text: '' });
    return all;
  }

  test('list prints dead messages, and replay sends one or all of them again', async () => {
    const { companion, run } = await withDead();
    const { out } = await run('webhooks', 'list', '--json');
    const ids = out.split('\n').map((line) => (JSON.parse(line) as { id: string }).id);
    expect(ids).toHaveLength(2);
    expect((await run('webhooks', 'list')).out).toContain('dead after 83 tries  status 500');
    const created = /\d{4}-\d\d-\d\d/.exec(out)?.[0] ?? '';
    const listed = async (...period: string[]) => (await run('webhooks', 'list', ...period)).out;
    expect(await listed('--from', created, '--to', created)).toContain('dead after 83 tries');
    expect(await listed('--from', '2020-01-01', '--to', '2020-12-31')).toBe('');
    await run('webhooks', 'replay', ids[0] ?? '');
    await companion.background.runOnce();
    expect((await run('webhooks', 'list', '--state', 'delivered')).out.split('\n')).toHaveLength(1);
    expect((await run('webhooks', 'replay', '--all')).out).toBe('1 sent again.');
    await companion.background.runOnce();
    expect((await run('webhooks', 'list')).err).toBe('No message is dead.');
  });

  test('list prints every page, and --all replays every page', async () => {
    const { run, shell } = await setUp();
    const dead = { state: 'dead', tries: 1, createdAt: '2026-11-19T12:00:00.000Z' };
    const asked: string[] = [];
    shell.fetch = (url, { method = '' }) => {
      asked.push(`${method} ${new URL(url).pathname}`);
      if (method === 'POST') return Promise.resolve(Response.json({}));
      const page = url.endsWith('&after=msg_1')
        ? { deliveries: [{ ...dead, id: 'msg_2', checkoutId: 'chk_2' }] }
        : { deliveries: [{ ...dead, id: 'msg_1', checkoutId: 'chk_1' }], next: 'msg_1' };
      return Promise.resolve(Response.json(page));
    };
    expect((await run('webhooks', 'list')).out).toBe(
      '2026-11-19T12:00:00.000Z  msg_1  chk_1  dead after 1 try\n' +
        '2026-11-19T12:00:00.000Z  msg_2  chk_2  dead after 1 try',
    );
    asked.length = 0;
    expect((await run('webhooks', 'replay', '--all')).out).toBe('2 sent again.');
    // All pages are read before the first replay, because a replayed message leaves the list.
    const read = ['GET /webhooks', 'GET /webhooks'];
    const sent = ['POST /webhooks/msg_1/replay', 'POST /webhooks/msg_2/replay'];
    expect(asked).toEqual([...read, ...sent]);
  });

  test('replay requires one message or --all, and fails for an unknown id', async () => {
    const { run } = await setUp();
    expect((await run('webhooks', 'replay')).code).toBe(exitCodes.failed);
    expect((await run('webhooks', 'replay', 'msg_1', '--all')).code).toBe(exitCodes.failed);
    expect((await run('webhooks', 'replay', 'msg_1')).code).toBe(exitCodes.failed);
  });
});

test("sends no token to a server with an untrusted certificate, even with Node's check disabled", async () => {
  const server = await httpsServer((_, response) => response.end('{}'));
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await server.close();
    server.remove();
  });
  const headers = { authorization: `Bearer ${BACK_OFFICE_TOKEN}` };
  await expect(processShell.fetch(server.url, { headers })).rejects.toThrow();
  expect(server.requests()).toBe(0);
  // The message does not claim that the companion is not running.
  const said: string[] = [];
  const shell = {
    ...processShell,
    env: { COMPANION_BACK_OFFICE_URL: server.url },
    say: (line: string) => void said.push(line),
  };
  const code = await runProgram(companionProgram, ['charges', 'get', 'charge-1'], shell);
  expect([code, said.join()]).toEqual([
    exitCodes.unavailable,
    expect.stringMatching(/is not trusted \([A-Z_]+\).*NODE_EXTRA_CA_CERTS/),
  ]);
});
