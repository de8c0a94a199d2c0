/*
 * The programs of deploy/compose.yaml with compose.sandbox.yaml, as processes in place of containers: their variables
 * and secrets are those of the files. Only addresses and folders are replaced, and ports are added.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import getPort from 'get-port';
import { expect, onTestFinished, test } from 'vitest';
import { postgresPlaces } from '../../bench/reconciliation/postgres.ts';
import { root } from '../../scripts/paths.ts';
import {
  companionMemory,
  type Program,
  reconciliationMemory,
  startProgram,
  untilReady,
} from '../../scripts/processes.ts';
import { interpolate, readComposition, readEnvFile } from '../boundaries/deployment.ts';

const files = ['compose.yaml', 'compose.sandbox.yaml'].map(readComposition);

/** Returns the variables of a service as Docker Compose would set them. */
function variablesOf(service: string, replaced: Record<string, string>): Record<string, string> {
  const given = readEnvFile('deploy/.env.example');
  const set = files.flatMap(({ services }) => Object.entries(services[service]?.environment ?? {}));
  return Object.fromEntries(
    set.map(([name, text]) => {
      let value = interpolate(text, given);
      for (const [from, to] of Object.entries(replaced)) value = value.replace(from, to);
      return [name, value];
    }),
  );
}

test('sandbox, companion and reconciliation of the compose files become ready', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'composed-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const running: Program[] = [];
  onTestFinished(async () => {
    for (const program of running.toReversed()) await program.stop();
  });

  copyFileSync(join(root, 'deploy/secrets.sh'), join(folder, 'secrets.sh'));
  execFileSync('sh', [join(folder, 'secrets.sh')]);
  const secret = (name: string) => readFileSync(join(folder, 'secrets', name), 'utf8');
  const before = secret('order-ticket');
  execFileSync('sh', [join(folder, 'secrets.sh')]);
  expect(secret('order-ticket')).toBe(before);

  const postgres = await postgresPlaces();
  onTestFinished(() => postgres.stop());
  const stores = {
    companion: await postgres.database('companion'),
    reconciliation: await postgres.database('reconciliation'),
  };
  const port = {
    api: await getPort(),
    control: await getPort(),
    storefront: await getPort(),
    backOffice: await getPort(),
    reconciliation: await getPort(),
  };
  const start = async (options: Parameters<typeof startProgram>[0], ready: string) => {
    const program = startProgram(options);
    running.push(program);
    await untilReady(program, ready);
  };
  const data = join(folder, 'sandbox');
  const place = (name: string, script: string) => {
    mkdirSync(join(folder, name), { recursive: true });
    return { name, file: join(root, script), cwd: join(folder, name) };
  };

  const ports = ['--api-port', String(port.api), '--hosted-port', '0'];
  await start(
    {
      ...place('sandbox', 'packages/sandbox/dist/main.js'),
      args: ['serve', '--data-dir', data, ...ports, '--control-port', String(port.control)],
      env: {},
    },
    `http://127.0.0.1:${port.control}/health`,
  );

  const replaced = { '/run/secrets': join(folder, 'secrets'), '/sandbox/': `${data}/` };
  await start(
    {
      ...place('companion', 'packages/server/dist/node/main.js'),
      nodeArgs: companionMemory.nodeArgs,
      args: ['serve'],
      env: {
        ...variablesOf('companion', { ...replaced, 'sandbox:4443': `localhost:${port.api}` }),
        COMPANION_STORE_FILE: '',
        COMPANION_STORE: stores.companion,
        COMPANION_PORT: String(port.storefront),
        COMPANION_BACK_OFFICE_PORT: String(port.backOffice),
      },
    },
    `http://127.0.0.1:${port.backOffice}/readyz`,
  );
  await start(
    {
      ...place('reconciliation', 'packages/reconciliation/dist/cli/main.js'),
      nodeArgs: reconciliationMemory.nodeArgs,
      args: ['serve'],
      env: {
        ...variablesOf('reconciliation', {
          ...replaced,
          'companion:4001': `127.0.0.1:${port.backOffice}`,
          '/data/': `${join(folder, 'reconciliation')}/`,
        }),
        RECONCILIATION_STORE_FILE: '',
        RECONCILIATION_STORE: stores.reconciliation,
        RECONCILIATION_PORT: String(port.reconciliation),
      },
    },
    `http://127.0.0.1:${port.reconciliation}/readyz`,
  );

  const answer = await fetch(`http://127.0.0.1:${port.reconciliation}/syncs`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${secret('finance-token').trim()}`,
      'content-type': 'application/json',
      'idempotency-key': 'composed-1',
    },
    body: '{}',
  });
  expect(answer.status).toBe(202);
  // Other containers can reach the back office, and read nothing there without a token.
  const closed = await fetch(`http://127.0.0.1:${port.backOffice}/ledger`);
  expect(closed.status).toBe(401);
});
