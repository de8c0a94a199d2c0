import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import getPort from 'get-port';
import { root } from '../../scripts/paths.ts';
import { startProgram, type Program } from '../../scripts/processes.ts';
import type { Kill } from './plan.ts';

export interface Address {
  storefront: string;
  backOffice: string;
}

/** Companions that the run kills and restarts at the same addresses. */
export interface Companions {
  addresses: readonly Address[];
  readonly kills: number;
  /** Counts an event, and carries out the kills that are due. */
  event(): void;
  stop(): Promise<void>;
}

export interface CompanionsOptions {
  count: number;
  env: Record<string, string>;
  folder: string;
  kills: readonly Kill[];
  /** Program of an earlier version that serves first, as a rolling upgrade replaces it. */
  older?: OlderCompanion | undefined;
}

/**
 * An earlier version at the first address. It cannot start again once a later version has migrated
 * the store, so it is shut down cleanly and never killed.
 */
export interface OlderCompanion {
  /** Path of its script. */
  file: string;
  /** Number of events after which the others start. */
  joinAt: number;
  /** Number of events after which it stops. */
  leaveAt: number;
}

export async function startCompanions(options: CompanionsOptions): Promise<Companions> {
  const { count, env, folder, kills, older } = options;
  const current = join(root, 'packages', 'server', 'dist', 'node', 'main.js');
  const programs: Program[] = [];
  const later: (() => void)[] = [];
  const addresses: Address[] = [];
  let stopping = false;
  let events = 0;
  let planned = 0;
  let killed = 0;
  const taken: number[] = [];
  const port = async () => {
    const free = await getPort({ exclude: taken });
    taken.push(free);
    return free;
  };

  function start(index: number, own: Record<string, string>): void {
    const program = startProgram({
      name: `companion ${index}`,
      file: index === 0 && older ? older.file : current,
      args: ['serve'],
      cwd: folder,
      env: { ...env, ...own },
      onLine: (name, line) => appendFileSync(join(folder, 'companions.log'), `${name} ${line}\n`),
    });
    programs[index] = program;
    // Restarts it, as a supervisor does.
    void program.ended.then(() => {
      if (!stopping && !(index === 0 && older)) start(index, own);
    });
  }

  function kill(index: number): void {
    const program = programs[index];
    if (stopping || !program) return;
    if (program.exited) {
      setTimeout(() => kill(index), 10);
      return;
    }
    process.kill(program.pid, 'SIGKILL');
    killed++;
  }

  for (let index = 0; index < count; index++) {
    const [storefront, backOffice] = [await port(), await port()];
    addresses.push({
      storefront: `http://127.0.0.1:${storefront}`,
      backOffice: `http://127.0.0.1:${backOffice}`,
    });
    const own = {
      COMPANION_PORT: String(storefront),
      COMPANION_BACK_OFFICE_PORT: String(backOffice),
    };
    if (index > 0 && older) later.push(() => start(index, own));
    else start(index, own);
  }

  return {
    addresses,
    get kills() {
      return killed;
    },
    event() {
      events++;
      if (events === older?.joinAt) for (const join of later) join();
      if (events === older?.leaveAt) void programs[0]?.stop('SIGTERM');
      for (let due = kills[planned]; due && due.event <= events; due = kills[++planned]) {
        const { target, delayMs } = due;
        setTimeout(() => kill(target % count), delayMs);
      }
    },
    async stop() {
      stopping = true;
      await Promise.all(programs.map((program) => program.stop('SIGTERM')));
    },
  };
}
