// `npm start [-- --data-dir <folder>]`: builds what changed, then runs sandbox, companion,
// reconciliation and shop until Ctrl-C.
import { join, relative } from 'node:path';
import { styleText } from 'node:util';
import { bundle } from './build.ts';
import { compile } from './compile.ts';
import { serveDocs } from './docs.ts';
import { loadMonth } from './history/load.ts';
import { isLoaded } from './history/sandbox.ts';
import { askedFolder, root } from './paths.ts';
import { servePlayground } from './playground.ts';
import { startStack, type Stack } from './stack.ts';

const colors = {
  sandbox: 'magenta',
  companion: 'cyan',
  reconciliation: 'yellow',
  shop: 'green',
} as const;
const widest = Math.max(...Object.keys(colors).map((name) => name.length));

function print(name: string, line: string): void {
  const color = colors[name as keyof typeof colors];
  console.log(`${styleText([color], name.padEnd(widest))} │ ${line}`);
}

/** Completes the seeded month of a folder that was unused, while everything runs. */
async function fillMonth(running: Stack): Promise<void> {
  if (isLoaded(running.dataDir)) return;
  console.log('  A seeded month is being loaded for the console …\n');
  const result = await loadMonth(running).catch((error: unknown) => error as Error);
  if (ending) return;
  console.log(
    typeof result === 'number'
      ? `  The console shows a seeded month: 36 days with an exception of each kind (loaded in ${result.toFixed(1)} s).\n`
      : `  The seeded month is incomplete: ${result.message}. The next start continues it.\n`,
  );
}

const { folder } = askedFolder('npm start');

let stack: Stack | undefined;
let playground: Awaited<ReturnType<typeof servePlayground>> | undefined;
let docs: Awaited<ReturnType<typeof serveDocs>> | undefined;
let ending: Promise<void> | undefined;
const end = (code: number) => {
  ending ??= (async () => {
    console.log('\nEnding shop, reconciliation, companion and sandbox …');
    await Promise.all([stack?.stop(), playground?.close(), docs?.close()]);
    process.exit(code);
  })();
};
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end(0));

try {
  console.log('Building …');
  compile();
  docs = await serveDocs();
  stack = await startStack({
    dataDir: folder,
    docsUrl: docs.url,
    ports: 'usual',
    month: true,
    onLine: print,
    onMoved: (what, from, to) =>
      console.log(`Port ${from} (${what}) is taken by another program: using ${to}.`),
    beforeShop: (privateKeyFile) => bundle(privateKeyFile),
  });
  playground = await servePlayground();
  const { shop, control, hosted, sandboxApi, companion, backOffice, reconciliation } = stack;
  const secret = (name: string) => relative(process.cwd(), join(folder, 'secrets', name));
  const reconcile = [
    `RECONCILIATION_URL=${reconciliation} RECONCILIATION_TOKEN_FILE=${secret('reconciliation-token')}`,
    ...['node_modules/.bin/node', 'packages/reconciliation/dist/cli/main.js'].map((path) =>
      relative(process.cwd(), join(root, path)),
    ),
  ].join(' ');
  console.log(`
  ${styleText('bold', 'Financing Checkout is running.')} Ctrl-C ends it; npm run reset empties its data.

  Console               ${styleText('bold', `${reconciliation}/console/`)}  (paste the token in ${secret('anna-token')}; to look only: ${secret('ben-token')})
  A close of the books  takes two persons: anna, who prepares it, holds ${secret('anna-token')}, and clara, who approves it, ${secret('clara-token')}
  Shop                  ${styleText('bold', shop)}
  Shop's back office    ${shop}/admin  (any name; password: in ${secret('shop-admin-token')})
  Playground            ${playground.url}  (every element, simulated)
  Documentation         ${docs.url}  (built at the first visit, which takes a minute)
  Companion             ${companion}  and, for the back office, ${backOffice}
  Reconciliation        ${reconciliation}  (token: in ${secret('reconciliation-token')})
  Sandbox               ${sandboxApi}, hosted page ${hosted}
  Sandbox control page  ${styleText('bold', control)}
  What lenders paid     ${reconcile} status
  Let a day pass        curl -X POST ${control}/clock -H 'content-type: application/json' -d '{"advance":"1d"}'
`);
  // This step restarts the companion, so programs that exit unexpectedly are detected only after
  // it.
  await fillMonth(stack);
  const programs = Object.values(stack.programs);
  const first = await Promise.race(programs.map(async (p) => ({ p, how: await p.ended })));
  if (!ending) {
    const { code, signal } = first.how;
    console.error(`The ${first.p.name} ended by itself (${signal ?? `exit ${code}`}).`);
    end(1);
  }
} catch (error) {
  if (!ending) console.error((error as Error).message);
  end(1);
}
