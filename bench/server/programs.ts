import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import getPort from 'get-port';
import selfsigned from 'selfsigned';
import { root } from '../../scripts/paths.ts';
import {
  companionMemory,
  type Program,
  reconciliationMemory,
  startProgram,
  untilReady,
} from '../../scripts/processes.ts';

/** A program that is measured, and its address. */
export interface Contestant {
  name: string;
  url: string;
  program: Program;
}

export interface ProgramsOptions {
  /** Connections to the service, for each contestant. */
  connections: number;
  /** Folder for a CPU profile of the companion. */
  profile: string | undefined;
  /** Whether the companion runs from its sources, without a build. */
  source: boolean;
  /** Additional settings of the programs other than the companion. */
  settings?: Record<string, string>;
}

export const origin = 'http://localhost:3000';

/** The service's stand-in and the programs in front of it, with their files in a temporary folder. */
export class Programs {
  readonly secret = randomBytes(32).toString('base64');
  readonly publicKey = randomBytes(24).toString('base64url');
  readonly ca: string;
  readonly upstreamUrl: string;
  readonly #folder: string;
  readonly #options: ProgramsOptions;
  readonly #shared: Record<string, string>;
  readonly #started: Program[] = [];

  static async create(options: ProgramsOptions): Promise<Programs> {
    const certificate = await selfsigned.generate([{ name: 'commonName', value: 'localhost' }], {
      algorithm: 'sha256',
      extensions: [
        { name: 'basicConstraints', cA: true },
        { name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] },
      ],
    });
    return new Programs(options, await getPort(), certificate);
  }

  constructor(
    options: ProgramsOptions,
    upstreamPort: number,
    certificate: { cert: string; private: string },
  ) {
    this.#options = options;
    this.ca = certificate.cert;
    this.upstreamUrl = `https://localhost:${upstreamPort}`;
    this.#folder = mkdtempSync(join(tmpdir(), 'financing-checkout-bench-'));
    const privateKey = randomBytes(24).toString('base64url');
    const write = (name: string, text: string) => {
      const file = join(this.#folder, name);
      writeFileSync(file, text, { mode: 0o600 });
      return file;
    };
    write('private-key', privateKey);
    write('ticket-secret', this.secret);
    this.#shared = {
      NODE_ENV: 'production',
      BENCH_PRIVATE_KEY: privateKey,
      BENCH_PUBLIC_KEY: this.publicKey,
      BENCH_TICKET_SECRET: this.secret,
      BENCH_ORIGIN: origin,
      BENCH_CA_FILE: write('ca.pem', certificate.cert),
      BENCH_UPSTREAM_URL: this.upstreamUrl,
      BENCH_UPSTREAM_PORT: String(upstreamPort),
      BENCH_UPSTREAM_KEY_FILE: write('upstream.key', certificate.private),
      BENCH_BARE_DATABASE: join(this.#folder, 'bare.db'),
      BENCH_CONNECTIONS: String(options.connections),
      ...options.settings,
    };
  }

  /**
   * Starts a program and waits until it accepts requests.
   * @param folder its folder below `bench/`
   */
  async start(name: string, folder = 'server'): Promise<Contestant> {
    const port = await getPort();
    const program = startProgram({
      name,
      file: join(root, 'bench', folder, `${name}.ts`),
      cwd: this.#folder,
      env: { ...this.#shared, BENCH_PORT: String(port) },
    });
    this.#started.push(program);
    while (!program.lines.includes('ready')) {
      if (program.exited) throw new Error(`${name} ended:\n${program.lines.join('\n')}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return { name, url: `http://127.0.0.1:${port}`, program };
  }

  /** @param settings environment variables in addition to those that every companion needs */
  async startCompanion(settings: Record<string, string>): Promise<Contestant> {
    const [port, backOffice] = [await getPort(), await getPort()];
    const { profile, source } = this.#options;
    const main = source ? ['src', 'node', 'main.ts'] : ['dist', 'node', 'main.js'];
    const program = startProgram({
      name: 'companion',
      file: join(root, 'packages', 'server', ...main),
      args: ['serve'],
      nodeArgs: [
        ...companionMemory.nodeArgs,
        ...(profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]),
      ],
      cwd: this.#folder,
      env: {
        ...companionMemory.env,
        NODE_ENV: 'production',
        FINANCING_ENVIRONMENT: 'sandbox',
        FINANCING_BASE_URL: this.upstreamUrl,
        FINANCING_CA_FILE: join(this.#folder, 'ca.pem'),
        FINANCING_PUBLIC_API_KEY: this.publicKey,
        FINANCING_PRIVATE_API_KEY_FILE: join(this.#folder, 'private-key'),
        FINANCING_HOSTED_URL: 'http://localhost:4444/checkout?session={sessionToken}',
        ORDER_TICKET_SECRET_FILE: join(this.#folder, 'ticket-secret'),
        COMPANION_ALLOWED_ORIGINS: origin,
        COMPANION_PORT: String(port),
        COMPANION_BACK_OFFICE_PORT: String(backOffice),
        COMPANION_STORE: `sqlite:${join(this.#folder, `companion-${port}.db`)}`,
        LOG_LEVEL: 'warn',
        ...settings,
      },
    });
    this.#started.push(program);
    await untilReady(program, `http://127.0.0.1:${backOffice}/readyz`);
    return { name: 'companion', url: `http://127.0.0.1:${port}`, program };
  }

  /** @param settings environment variables in addition to those that every reconciliation needs */
  async startReconciliation(settings: Record<string, string>): Promise<Contestant> {
    const port = await getPort();
    const url = `http://127.0.0.1:${port}`;
    const program = startProgram({
      name: 'reconciliation',
      file: join(root, 'packages', 'reconciliation', 'dist', 'cli', 'main.js'),
      args: ['serve'],
      nodeArgs: reconciliationMemory.nodeArgs,
      cwd: this.#folder,
      env: {
        ...reconciliationMemory.env,
        NODE_ENV: 'production',
        NODE_EXTRA_CA_CERTS: join(this.#folder, 'ca.pem'),
        RECONCILIATION_ENVIRONMENT: 'sandbox',
        RECONCILIATION_STORE: `sqlite:${join(this.#folder, `reconciliation-${port}.db`)}`,
        RECONCILIATION_PORT: String(port),
        RECONCILIATION_URL: url,
        LOG_LEVEL: 'error',
        ...settings,
      },
    });
    this.#started.push(program);
    await untilReady(program, `${url}/livez`);
    return { name: 'reconciliation', url, program };
  }

  async stop(): Promise<void> {
    for (const program of this.#started.toReversed()) await program.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Returns the resident memory of a process in megabytes (Linux). */
export function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1024;
}

/** Returns the processor time that a process has used, in milliseconds (Linux: ticks of 10 ms). */
export function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
