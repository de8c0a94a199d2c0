import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import getPort from 'get-port';
import { root } from '../../scripts/paths.ts';
import {
  companionMemory,
  type Program,
  startProgram,
  untilReady,
} from '../../scripts/processes.ts';
import { clockOf, type History, sandboxMain } from './history.ts';

/** A sandbox that serves a seeded history. */
export interface Service {
  program: Program;
  apiUrl: string;
  hostedUrl: string;
  controlUrl: string;
  caFile: string;
  publicKey: string;
  privateKeyFile: string;
}

export async function startService({ dataDir }: History): Promise<Service> {
  const program = startProgram({
    name: 'sandbox',
    file: sandboxMain,
    args: [
      'serve',
      ...['--api-port', '0', '--hosted-port', '0', '--control-port', '0'],
      ...['--data-dir', dataDir],
    ],
    cwd: dataDir,
    env: {},
  });
  await untilSaid(program, (line) => line.includes('ready'));
  const said = (pattern: RegExp) =>
    program.lines.map((line) => pattern.exec(line)?.[1]).find((found) => found !== undefined) ?? '';
  return {
    program,
    apiUrl: said(/API of sandbox: (\S+)/),
    hostedUrl: said(/hosted page: (\S+)/),
    controlUrl: said(/[Cc]ontrol(?: API)?: (\S+)/),
    caFile: join(dataDir, 'ca.pem'),
    publicKey: readFileSync(join(dataDir, 'keys/sandbox.public'), 'utf8').trim(),
    privateKeyFile: join(dataDir, 'keys/sandbox.private'),
  };
}

/** The token with which reconciliation reads pages of fundings, which needs one on this machine too. */
export const READING_TOKEN = 'reconciliation-of-a-test-0123456789';

/** Origin of the pages of the shop. */
export const SHOP_ORIGIN = 'http://localhost:3000';

export interface CompanionOptions {
  folder: string;
  /** Path of its script. @default that of this version */
  file?: string;
  service: Service;
  history: History;
  /** Offset of its clock from the end of the history. @default 0 */
  aheadMs?: number;
  env?: Record<string, string>;
}

/** A companion in the form a merchant runs it, at the time at which the history ends. */
export interface Companion {
  program: Program;
  /** Address of its back office. */
  url: string;
  /** Address of its storefront API. */
  storefrontUrl: string;
  /** Secret with which the shop signs order tickets. */
  ticketSecret: string;
}

export async function startCompanion(options: CompanionOptions): Promise<Companion> {
  const { folder, service, history } = options;
  mkdirSync(folder, { recursive: true });
  const ticketFile = join(folder, 'ticket-secret');
  const ticketSecret = randomBytes(32).toString('base64');
  writeFileSync(ticketFile, ticketSecret, { mode: 0o600 });
  const [port, officePort] = [await getPort(), await getPort()];
  const program = startProgram({
    name: 'companion',
    file: options.file ?? join(root, 'packages/server/dist/node/main.js'),
    args: ['serve'],
    nodeArgs: companionMemory.nodeArgs,
    cwd: folder,
    env: {
      ...companionMemory.env,
      ...clockOf(history, options.aheadMs),
      NODE_ENV: 'production',
      FINANCING_ENVIRONMENT: 'sandbox',
      FINANCING_BASE_URL: service.apiUrl,
      FINANCING_CA_FILE: service.caFile,
      FINANCING_PUBLIC_API_KEY: service.publicKey,
      FINANCING_PRIVATE_API_KEY_FILE: service.privateKeyFile,
      FINANCING_HOSTED_URL: `${service.hostedUrl}?session={sessionToken}&key={publicKey}&origin={origin}`,
      ORDER_TICKET_SECRET_FILE: ticketFile,
      COMPANION_ALLOWED_ORIGINS: SHOP_ORIGIN,
      COMPANION_PORT: String(port),
      COMPANION_BACK_OFFICE_PORT: String(officePort),
      COMPANION_BACK_OFFICE_TOKENS: `reconcile fundings ${READING_TOKEN}`,
      COMPANION_STORE: `sqlite:${join(folder, 'companion.db')}`,
      LOG_LEVEL: 'info',
      LOG_FORMAT: 'json',
      ...options.env,
    },
  });
  const url = `http://127.0.0.1:${officePort}`;
  await untilReady(program, `${url}/readyz`);
  return { program, url, storefrontUrl: `http://127.0.0.1:${port}`, ticketSecret };
}

async function untilSaid(program: Program, wanted: (line: string) => boolean): Promise<void> {
  while (!program.lines.some(wanted)) {
    if (program.exited) {
      throw new Error(`The ${program.name} ended:\n${program.lines.slice(-20).join('\n')}`);
    }
    await pause(20);
  }
}
