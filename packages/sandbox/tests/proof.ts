import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rules } from '../src/conformance/rules/index.ts';
import {
  runConformance,
  type ConformanceReport,
  type ConformanceResult,
} from '../src/conformance/suite.ts';
import { KeyRing } from '../src/environments/keys.ts';
import type { App } from '../src/listener/listener.ts';
import { startSandbox, type Sandbox } from '../src/sandbox.ts';
import { confirmOrders, lenderHistory } from './history.ts';
import { wireTo } from './in-process.ts';
import { deviate } from './mutants/call.ts';
import type { Mutant } from './mutants/mutant.ts';
import { mutants } from './mutants/mutants.ts';
import { listenPlainToo } from './plain-http.ts';
import { receiveNotifications } from '../src/notifications/receiver.fixture.ts';

/** The result of the suite for one mutant. */
export interface MutantProof {
  mutant: string;
  /** Ids of the rules that should fail. */
  expected: readonly string[];
  /** Ids of the rules that failed. */
  red: readonly string[];
  /** Whether the failed rules are exactly the expected ones. */
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
 * Runs the suite against a fresh sandbox, in a temporary folder, and against each mutant of it. The
 * correct sandbox is checked over HTTPS. Mutants are checked in this process, because TLS takes
 * most of the time of a run; so is a mutant without a deviation, which no rule may detect.
 * @param onMutant called with each result
 */
export async function proveConformance(
  onMutant: (proof: MutantProof) => void = () => undefined,
): Promise<ConformanceProof> {
  const dataDir = mkdtempSync(join(tmpdir(), 'conformance-'));
  const receiver = await receiveNotifications();
  try {
    const { value: oldKey } = new KeyRing(dataDir, Date.now).get('sandbox', 'private');
    new KeyRing(dataDir, Date.now).rotate('sandbox', 'private', 0);
    const notify = { environment: 'sandbox', url: receiver.url } as const;
    let api: Api | undefined;
    const sandbox = await startSandbox({ dataDir, notify }, (app, keys) => {
      api = { app, keys };
      return app;
    });
    try {
      if (!api) throw new Error('The sandbox has no API.');
      await lenderHistory(sandbox);
      const subject = { sandbox, oldKey, notifications: receiver.bodies };
      const confirmationTokens = await confirmOrders(sandbox);
      await fetch(`${sandbox.controlUrl}/notifications/flush`, { method: 'POST' });
      const good = await judge({ ...subject, confirmationTokens });
      const proofs: MutantProof[] = [];
      for (const mutant of [correct, ...mutants]) {
        const tokens = mutant.charges ? await confirmOrders(sandbox) : [];
        const report = await judgeMutant(mutant, api, { ...subject, confirmationTokens: tokens });
        const failed = report.results.filter(({ verdict }) => verdict === 'fail');
        const red = failed.map(({ rule }) => rule).sort();
        const found = red.join() === [...mutant.breaks].sort().join();
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
      await sandbox.stop();
    }
  } finally {
    await receiver.close();
    rmSync(dataDir, { recursive: true });
  }
}

/** The correct sandbox, checked in the same way as a mutant. */
const correct: Mutant = {
  name: 'no-mutant',
  breaks: [],
  charges: true,
  how: (call) => call.forward(),
};

const isJudged = ({ verdict }: ConformanceResult) => verdict === 'pass' || verdict === 'fail';

/** The correct API and the keys that it accepts. */
interface Api {
  app: App;
  keys: KeyRing;
}

/** The sandbox to check, and the options for the rules. */
interface Subject {
  sandbox: Pick<Sandbox, 'apiUrl' | 'environments' | 'caFile' | 'hostedUrl'>;
  oldKey: string;
  confirmationTokens: readonly string[];
  /** Notifications of the correct sandbox. */
  notifications: readonly Record<string, unknown>[];
  /** Rewrites the browser script. */
  script?: ((text: string) => string) | undefined;
}

/** Checks a mutant of the sandbox. */
async function judgeMutant(
  { how, notification, script }: Mutant,
  { app, keys }: Api,
  subject: Subject,
): Promise<ConformanceReport> {
  const { sandbox } = subject;
  if (how !== 'plain-http') {
    const notifications = subject.notifications.map((body) => ({
      ...(notification?.(body) ?? body),
    }));
    const front = how === undefined ? app : deviate(app, keys, how);
    return judge({ ...subject, notifications, script }, wireTo(front, sandbox.apiUrl));
  }
  const { port } = new URL(sandbox.apiUrl);
  const both = await listenPlainToo(Number(port), app);
  const moved = (url: string) => url.replace(`:${port}`, `:${both.port}`);
  const environments = sandbox.environments.map((one) => ({ ...one, baseUrl: moved(one.baseUrl) }));
  const { caFile, hostedUrl } = sandbox;
  try {
    const apiUrl = moved(sandbox.apiUrl);
    return await judge({ ...subject, sandbox: { apiUrl, environments, caFile, hostedUrl } });
  } finally {
    await both.close();
  }
}

/** Runs the suite, over HTTPS unless a different client is given. */
function judge(
  { sandbox, oldKey, confirmationTokens, notifications, script }: Subject,
  wire?: Parameters<typeof runConformance>[1],
): Promise<ConformanceReport> {
  const { environments, caFile, hostedUrl } = sandbox;
  const own = environments.find(({ name }) => name === 'sandbox');
  if (!own) throw new Error('There is no sandbox environment.');
  return runConformance(
    {
      ...own,
      environment: 'sandbox',
      oldKey,
      otherBaseUrls: environments.filter((one) => one !== own).map(({ baseUrl }) => baseUrl),
      ca: readFileSync(caFile, 'utf8'),
      write: true,
      confirmationTokens,
      notifications: () => notifications,
      browserScript: async () => {
        const text = await (await fetch(`${hostedUrl}/sdk.js`)).text();
        return script?.(text) ?? text;
      },
    },
    wire,
  );
}
