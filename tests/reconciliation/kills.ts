import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Chance } from '../../bench/fuzz/chance.ts';
import { startCompanion, startService } from './companion.ts';
import { contentTexts, lastingFacts, numbersOf } from './facts-file.ts';
import { type History, seedHistory } from './history.ts';
import { doWork, makeRun, type Run, running, type Work, works } from './killed-run.ts';
import { consumers, differencesOf, leaksIn } from './run-differences.ts';
import { changeFundings, reportPage } from './unrest.ts';

export interface KillOptions {
  folder: string;
  kills: number;
  /** Determines the whole run, except for the timing on a busy machine. */
  seed: number;
  orders: number;
  say: (line: string) => void;
}

export interface KillResult {
  /** Number of kills by kind of work. */
  kills: Record<string, number>;
  /** Number of damages to the analytics file between a kill and the next start, by kind. */
  damage: Record<string, number>;
  /** Facts that existed before a kill and not after it. */
  lost: string[];
  /** Files with a consumer's name or e-mail address. */
  leaks: string[];
  /** Differences from the undisturbed run at the end. */
  differences: string[];
  /** Result of the audit trail's verification. */
  trail: unknown;
}

const damages = [
  'none',
  'deleted',
  'truncated',
  'older copy',
  'without log',
  'older file',
] as const;
/** Longer than the lease of a killed process. */
const LEASE_MS = 11_000;
const KILLS_OF_A_ROUND = 15;
const CHANGES = 60;
const DAYS = 8;

/**
 * Runs two programs in rounds: a part of the ledger, a sync after changes of fundings, decisions on
 * cases, a rebuild, another policy. Kills one of them during each step and damages its analytics
 * file in between. After each round both must have the same data.
 */
export async function runKills(options: KillOptions): Promise<KillResult> {
  const { folder, kills, seed, orders, say } = options;
  const chance = new Chance(seed, 1);
  const history = seedHistory(join(folder, 'sandbox'), { orders, days: DAYS, faults: '30%' });
  const service = await startService(history);
  const stops = [() => service.program.stop()];
  const result: KillResult = {
    kills: {},
    damage: {},
    lost: [],
    leaks: [],
    differences: [],
    trail: undefined,
  };
  try {
    const companion = await startCompanion({ folder: join(folder, 'companion'), service, history });
    stops.push(() => companion.program.stop());
    const page = await reportPage(service, { limit: '1000', offset: '0' });
    const unplanted = consumers.filter((text) => !page.includes(text));
    if (unplanted.length > 0) throw new Error(`The history has no ${unplanted.join(', ')}.`);
    const rounds = Math.ceil(kills / KILLS_OF_A_ROUND);
    const ledgers = splitLedger(history, folder, rounds);
    const make = (name: string) => makeRun(join(folder, name), companion.url, history);
    const [calm, stormy] = [make('calm'), make('stormy')];
    stops.push(async () => {
      for (const run of [calm, stormy]) await run.process?.stop();
    });
    const storm = new Storm(stormy, chance, result, say);
    for (let round = 0; round < rounds; round++) {
      if (round > 0) await changeFundings(service, chance, CHANGES);
      for (const run of [calm, stormy]) Object.assign(run, { round, decisions: undefined });
      for (const [index, work] of works.entries()) {
        const began = performance.now();
        await doWork(calm, work, ledgers[round] ?? '');
        const took = performance.now() - began;
        const step = round * works.length + index;
        const before = (count: number) => Math.round((kills * count) / (rounds * works.length));
        for (let kill = before(step); kill < before(step + 1); kill++) {
          await storm.strike(work, ledgers[round] ?? '', took);
        }
        await doWork(stormy, work, ledgers[round] ?? '');
      }
      const differences = await differencesOf(calm, stormy);
      result.differences.push(...differences);
      result.trail = await running(stormy).get('/trail/verification');
      const { lost, leaks } = result;
      const found = [...lost, ...leaks, ...differences].join('\n');
      say(`round ${round + 1} of ${rounds}: ${JSON.stringify(result.kills)} ${found}`);
    }
    for (const run of [calm, stormy]) {
      await run.process?.stop();
      result.leaks.push(...leaksIn(run));
      for (const text of await contentTexts(run.facts)) {
        if (consumers.some((consumer) => text.includes(consumer))) result.leaks.push('a content');
      }
    }
    return result;
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

/** Kills processes and damages the analytics file. */
class Storm {
  readonly #run: Run;
  readonly #chance: Chance;
  readonly #result: KillResult;
  readonly #say: (line: string) => void;
  readonly #file: string;
  readonly #older: string;

  constructor(run: Run, chance: Chance, result: KillResult, say: (line: string) => void) {
    this.#run = run;
    this.#chance = chance;
    this.#result = result;
    this.#say = say;
    this.#file = join(run.folder, 'analytics.duckdb');
    this.#older = join(run.folder, 'older.duckdb');
  }

  /** Begins a piece of work, kills the process at a random moment, and starts the next one. */
  async strike(work: Work, ledger: string, tookMs: number): Promise<void> {
    const run = this.#run;
    const result = this.#result;
    await (run.reconciler ?? (await run.start())).leads();
    // A process judges orders at its start: the new process has to be killed, not the previous one.
    if (work === 'judging') await run.process?.stop();
    const known = lastingFacts(run.facts);
    const numbers = numbersOf(run.facts);
    const waitMs = this.#chance.whole(1, Math.max(2, Math.round(tookMs)));
    // Fails when the process is killed, unless it has completed before.
    const attempt = doWork(run, work, ledger).catch(() => undefined);
    await pause(waitMs);
    const { process } = run;
    if (process === undefined) throw new Error('There is no process to kill.');
    await process.stop('SIGKILL');
    await attempt;
    // A new process may have started just after the kill.
    await run.process?.stop('SIGKILL');
    run.reconciler = undefined;
    run.aheadMs += LEASE_MS;
    result.kills[work] = (result.kills[work] ?? 0) + 1;
    this.#compare(known, numbers);
    const damage = this.#spoil();
    result.damage[damage] = (result.damage[damage] ?? 0) + 1;
    this.#say(`killed after ${waitMs} ms of ${work} (${Math.round(tookMs)} ms); file: ${damage}`);
    await run.start();
    result.leaks.push(...leaksIn(run));
  }

  #compare(known: Map<string, string>, numbers: Map<string, number>): void {
    const { facts } = this.#run;
    const now = lastingFacts(facts);
    for (const [key, value] of known) {
      if (now.get(key) !== value) this.#result.lost.push(key);
    }
    const numbersNow = numbersOf(facts);
    for (const [key, number] of numbers) {
      if ((numbersNow.get(key) ?? -1) < number) this.#result.lost.push(`${key}: ${number}`);
    }
  }

  /** Damages the file, or leaves it unchanged. */
  #spoil(): string {
    const [file, older] = [this.#file, this.#older];
    const log = (path: string) => `${path}.wal`;
    const move = (from: string, to: string) => {
      rmSync(to, { force: true });
      if (existsSync(from)) copyFileSync(from, to);
    };
    const damage = this.#chance.of(damages);
    if (!existsSync(file)) return 'none';
    if (damage === 'none') {
      if (this.#chance.yes(0.5)) {
        move(file, older);
        move(log(file), log(older));
      }
    } else if (damage === 'deleted') {
      rmSync(file);
      if (this.#chance.yes(0.5)) rmSync(log(file), { force: true });
    } else if (damage === 'truncated') {
      truncateSync(file, this.#chance.whole(0, statSync(file).size - 1));
    } else if (damage === 'without log') {
      rmSync(log(file), { force: true });
    } else if (existsSync(older)) {
      move(older, file);
      // Without this, the current log would be combined with an older file.
      if (damage === 'older copy') move(log(older), log(file));
    } else {
      move(file, older);
      move(log(file), log(older));
      return 'none';
    }
    return damage;
  }
}

/** Splits the ledger into one file per round. */
function splitLedger(history: History, folder: string, parts: number): string[] {
  const lines = readFileSync(history.ledger, 'utf8').trimEnd().split('\n');
  const target = join(folder, 'ledgers');
  mkdirSync(target, { recursive: true });
  return Array.from({ length: parts }, (_, part) => {
    const file = join(target, `${part}.ndjson`);
    // Each part has orders of all days.
    const own = lines.filter((_, index) => index % parts === part);
    writeFileSync(file, `${own.join('\n')}\n`);
    return file;
  });
}
