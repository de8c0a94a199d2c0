import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KeyRing } from '../../environments/keys.ts';
import { startSandbox, type Sandbox } from '../../sandbox.ts';
import { rules } from '../rules/index.ts';
import { runConformance, type ConformanceReport, type ConformanceResult } from '../suite.ts';
import { lenderHistory } from './history.ts';
import { twins } from './twins.ts';

/** How the suite did on one twin. */
export interface TwinProof {
  twin: string;
  /** Ids of the rules that should be red. */
  expected: readonly string[];
  /** Ids of those that were. */
  red: readonly string[];
  /** Whether these are the same. */
  found: boolean;
}

/** The test of the tests. */
export interface ConformanceProof {
  /** The sandbox as it should be: everything that can be checked passes. */
  good: ConformanceReport;
  twins: readonly TwinProof[];
  /** Ids of rules that could be judged, but were not on the good sandbox. */
  unjudged: readonly string[];
  /** Ids of rules which no twin breaks: nobody knows whether they can turn red. */
  untested: readonly string[];
}

/**
 * Runs the suite against a fresh sandbox, in a folder that is removed again, and against each of
 * its twins.
 * @param onTwin told of each as soon as it is judged
 */
export async function proveConformance(
  onTwin: (proof: TwinProof) => void = () => undefined,
): Promise<ConformanceProof> {
  const dataDir = mkdtempSync(join(tmpdir(), 'conformance-'));
  try {
    const keys = new KeyRing(dataDir, Date.now);
    const oldKey = keys.get('sandbox', 'private').value;
    keys.rotate('sandbox', 'private', 0);
    const good = await withSandbox(dataDir, undefined, async (sandbox) => {
      await lenderHistory(sandbox);
      return judge(sandbox, oldKey);
    });
    const proofs: TwinProof[] = [];
    for (const { name, breaks } of twins) {
      const { results } = await withSandbox(dataDir, name, (sandbox) => judge(sandbox, oldKey));
      const red = results.filter(({ verdict }) => verdict === 'fail').map(({ rule }) => rule);
      const found = [...red].sort().join() === [...breaks].sort().join();
      const proof = { twin: name, expected: breaks, red, found };
      proofs.push(proof);
      onTwin(proof);
    }
    const broken = new Set(twins.flatMap(({ breaks }) => breaks));
    const judged = new Set(good.results.filter(isJudged).map(({ rule }) => rule));
    const checkable = rules.filter(({ check }) => typeof check === 'function');
    return {
      good,
      twins: proofs,
      unjudged: checkable.filter(({ id }) => !judged.has(id)).map(({ id }) => id),
      untested: checkable.filter(({ id }) => !broken.has(id)).map(({ id }) => id),
    };
  } finally {
    rmSync(dataDir, { recursive: true });
  }
}

const isJudged = ({ verdict }: ConformanceResult) => verdict === 'pass' || verdict === 'fail';

async function withSandbox<T>(
  dataDir: string,
  twin: string | undefined,
  use: (sandbox: Sandbox) => Promise<T>,
): Promise<T> {
  const sandbox = await startSandbox({ dataDir, ...(twin === undefined ? {} : { twin }) });
  try {
    return await use(sandbox);
  } finally {
    await sandbox.stop();
  }
}

function judge({ environments, caFile }: Sandbox, oldKey: string): Promise<ConformanceReport> {
  const own = environments.find(({ name }) => name === 'sandbox');
  if (!own) throw new Error('There is no sandbox environment.');
  return runConformance({
    ...own,
    environment: 'sandbox',
    oldKey,
    otherBaseUrls: environments.filter((one) => one !== own).map(({ baseUrl }) => baseUrl),
    ca: readFileSync(caFile, 'utf8'),
    allowWrites: true,
  });
}
