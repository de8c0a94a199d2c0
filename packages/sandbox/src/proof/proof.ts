import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KeyRing } from '../environments/keys.ts';
import { startSandbox, type Sandbox } from '../sandbox.ts';
import { rules } from '../conformance/rules/index.ts';
import {
  runConformance,
  type ConformanceReport,
  type ConformanceResult,
} from '../conformance/suite.ts';
import { confirmOrders, lenderHistory } from './history.ts';
import { mutants, type Mutant } from '../mutants/mutants.ts';
import { receiveNotifications } from './receiver.ts';

/** The result of the suite for one mutant. */
export interface MutantProof {
  mutant: string;
  /** Ids of the rules that should fail. */
  expected: readonly string[];
  /** Ids of the rules that failed. */
  red: readonly string[];
  /** Whether both are the same. */
  found: boolean;
}

/** The result of testing the suite itself. */
export interface ConformanceProof {
  /** Report on the correct sandbox: every checkable rule passes. */
  good: ConformanceReport;
  mutants: readonly MutantProof[];
  /** Ids of checkable rules without a verdict on the correct sandbox. */
  unjudged: readonly string[];
  /** Ids of rules that no mutant breaks: they might never fail. */
  untested: readonly string[];
}

/**
 * Runs the suite against a fresh sandbox, in a temporary folder, and against each of its mutants.
 * @param onMutant called with each result
 */
export async function proveConformance(
  onMutant: (proof: MutantProof) => void = () => undefined,
): Promise<ConformanceProof> {
  const dataDir = mkdtempSync(join(tmpdir(), 'conformance-'));
  const receiver = await receiveNotifications();
  try {
    const keys = new KeyRing(dataDir, Date.now);
    const oldKey = keys.get('sandbox', 'private').value;
    keys.rotate('sandbox', 'private', 0);
    const notify = { environment: 'sandbox', url: receiver.url } as const;
    const tokens = new Map<string, readonly string[]>();
    const sandbox = await startSandbox({ dataDir, notify });
    let good: ConformanceReport;
    try {
      await lenderHistory(sandbox);
      for (const { name, charges } of mutants) {
        if (charges) tokens.set(name, await confirmOrders(sandbox));
      }
      const confirmationTokens = await confirmOrders(sandbox);
      await fetch(`${sandbox.controlUrl}/notifications/flush`, { method: 'POST' });
      good = await judge(sandbox, { oldKey, confirmationTokens, bodies: receiver.bodies });
    } finally {
      await sandbox.stop();
    }
    const proofs: MutantProof[] = [];
    for (const mutant of mutants) {
      const confirmationTokens = tokens.get(mutant.name) ?? [];
      const red = await withMutant(dataDir, mutant, (broken) =>
        judge(broken, { oldKey, confirmationTokens, bodies: receiver.bodies, mutant }),
      );
      const found = [...red].sort().join() === [...mutant.breaks].sort().join();
      const proof = { mutant: mutant.name, expected: mutant.breaks, red, found };
      proofs.push(proof);
      onMutant(proof);
    }
    const broken = new Set(mutants.flatMap(({ breaks }) => breaks));
    const judged = new Set(good.results.filter(isJudged).map(({ rule }) => rule));
    const checkable = rules.filter(({ check }) => typeof check === 'function');
    return {
      good,
      mutants: proofs,
      unjudged: checkable.filter(({ id }) => !judged.has(id)).map(({ id }) => id),
      untested: checkable.filter(({ id }) => !broken.has(id)).map(({ id }) => id),
    };
  } finally {
    await receiver.close();
    rmSync(dataDir, { recursive: true });
  }
}

const isJudged = ({ verdict }: ConformanceResult) => verdict === 'pass' || verdict === 'fail';

/** Returns the ids of the rules that fail for a mutant. */
async function withMutant(
  dataDir: string,
  { name, how }: Mutant,
  use: (sandbox: Sandbox) => Promise<ConformanceReport>,
): Promise<string[]> {
  const sandbox = await startSandbox({ dataDir, ...(how === undefined ? {} : { mutant: name }) });
  try {
    const { results } = await use(sandbox);
    return results.filter(({ verdict }) => verdict === 'fail').map(({ rule }) => rule);
  } finally {
    await sandbox.stop();
  }
}

interface Means {
  oldKey: string;
  confirmationTokens: readonly string[];
  /** Notifications of the correct sandbox. */
  bodies: readonly Record<string, unknown>[];
  mutant?: Mutant;
}

function judge(
  { environments, caFile, hostedUrl }: Sandbox,
  { oldKey, confirmationTokens, bodies, mutant }: Means,
): Promise<ConformanceReport> {
  const own = environments.find(({ name }) => name === 'sandbox');
  if (!own) throw new Error('There is no sandbox environment.');
  return runConformance({
    ...own,
    environment: 'sandbox',
    oldKey,
    otherBaseUrls: environments.filter((one) => one !== own).map(({ baseUrl }) => baseUrl),
    ca: readFileSync(caFile, 'utf8'),
    write: true,
    confirmationTokens,
    notifications: () => bodies.map((body) => mutant?.notification?.(body) ?? body),
    browserScript: async () => {
      const text = await (await fetch(`${hostedUrl}/sdk.js`)).text();
      return mutant?.script?.(text) ?? text;
    },
  });
}
