import { renameSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PRIVATE_KEY } from '../companion.fixture.ts';
import { countExposed } from '../secrecy.fixture.ts';
import { headers, prime, runHere, serve } from './command.fixture.ts';

const NEW_KEY = 'the-new-private-key-0123456789';

test('a replaced key file takes effect without a restart, and the metrics show it', async () => {
  const { startHere, keyFile } = await serve((request, response) => {
    const taken = request.headers.authorization === `Bearer ${NEW_KEY}`;
    response.writeHead(taken ? 201 : 401).end('{"id":"session-token"}');
  });
  const { storefront, backOffice, log } = await startHere();
  const readiness = async () => (await fetch(`${backOffice}/readyz`)).status;
  expect((await prime(storefront, 'key-1')).status).toBe(503);
  expect(await readiness()).toBe(503);

  writeFileSync(`${keyFile}.new`, NEW_KEY);
  renameSync(`${keyFile}.new`, keyFile);
  await expect.poll(() => log.join('')).toContain('service-key-replaced');
  expect(await readiness()).toBe(200);
  expect((await prime(storefront, 'key-2')).status).toBe(201);

  const metrics = await (await fetch(`${backOffice}/metrics`)).text();
  expect(metrics).toContain('financing_service_key_in_use{slot="current"} 1');
  expect(metrics).toMatch(
    /financing_service_key_last_accepted_timestamp_seconds\{slot="current"\} \d/,
  );
  expect(metrics).toContain(
    'financing_http_problems_total{listener="storefront",code="service-key-rejected"} 1',
  );
  expect(metrics).toContain('financing_service_circuit_state{state="closed"} 1');
  expect(countExposed([...log, metrics])).toBe(0);
  expect(log.join('') + metrics).not.toContain(NEW_KEY);
});

test('the storefront listener has no metrics, and no path of a request becomes a label', async () => {
  const { startHere } = await serve((_, response) => response.end());
  const { storefront, backOffice } = await startHere();
  for (let count = 0; count < 20; count++) {
    await fetch(`${storefront}/unknown-${count}`, { headers });
    await fetch(`${storefront}/checkout/unknown-${count}`, { headers });
    await fetch(`${storefront}/checkout/x`, { method: 'PURGE', headers });
  }
  expect((await fetch(`${storefront}/metrics`, { headers })).status).toBe(404);
  const metrics = await (await fetch(`${backOffice}/metrics`)).text();
  expect(metrics).not.toMatch(/unknown-|PURGE/);
  const series = metrics.match(/^financing_http_request_duration_seconds_count.*$/gm) ?? [];
  expect(series.map((line) => line.replace(/ \d+$/, '')).sort()).toEqual([
    'financing_http_request_duration_seconds_count{listener="storefront",method="GET",route="/checkout/:id",status="404"}',
    'financing_http_request_duration_seconds_count{listener="storefront",method="GET",route="none",status="404"}',
    'financing_http_request_duration_seconds_count{listener="storefront",method="other",route="/checkout/:id",status="405"}',
  ]);
});

test('limits client addresses behind a local proxy', async () => {
  const { startHere } = await serve((_, response) => response.end());
  const { storefront } = await startHere({ COMPANION_RATE_LIMIT_PER_ADDRESS: '2' });
  const statusOf = async (forwarded: string) => {
    const more = { ...headers, 'x-forwarded-for': forwarded };
    return (await fetch(`${storefront}/checkout/x`, { headers: more })).status;
  };
  const statuses = [];
  for (const forged of ['198.51.100.1', '198.51.100.2', '198.51.100.3']) {
    statuses.push(await statusOf(`${forged}, 192.0.2.7`));
  }
  expect(statuses).toEqual([404, 404, 429]);
  expect(await statusOf('192.0.2.8')).toBe(404);
});

test('exits with 1 immediately on a second signal', async () => {
  let received = false;
  const { start } = await serve(() => (received = true));
  const companion = await start();
  const lost = prime(companion.storefront, 'key-1');
  lost.catch(() => undefined);
  await expect.poll(() => received).toBe(true);
  companion.child.kill('SIGTERM');
  await expect.poll(() => companion.output.text).toContain('stopping');
  companion.child.kill('SIGINT');
  expect(await companion.exit).toBe(1);
  await expect(lost).rejects.toThrow();
});

test('exits with 70 on an uncaught exception and logs its location, not its message', async () => {
  const { start } = await serve((_, response) => response.end());
  // Node reports an unhandled rejection as an uncaught exception.
  const reject = 'Promise.reject(new Error(["a value","of a person"].join(" ")))';
  const code = `process.on("SIGUSR2",()=>{${reject}})`;
  const companion = await start({}, ['--import', `data:text/javascript,${code}`]);
  companion.child.kill('SIGUSR2');
  expect(await companion.exit).toBe(70);
  expect(companion.output.text).toContain('"event":"crashed"');
  expect(companion.output.text).not.toContain('a value of a person');
});

test('refuses the same value for both keys', async () => {
  const { variables } = await serve((_, response) => response.end());
  const same = { ...variables, FINANCING_PUBLIC_API_KEY: PRIVATE_KEY };
  const { code, text } = await runHere(['serve'], same);
  expect(code).toBe(78);
  expect(text).toContain('is the same as the private key');
  expect(countExposed([text])).toBe(0);
});

test('--help and --version need no configuration', async () => {
  const help = await runHere(['--help']);
  expect(help.code).toBe(0);
  expect(help.text).toMatch(/Examples:[\s\S]*Exit codes:/);
  const version = await runHere(['--version']);
  expect(version.code).toBe(0);
  expect(version.text).toMatch(/^\d+\.\d+\.\d+/);
});
