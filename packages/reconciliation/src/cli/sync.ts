import {
  type Coverage,
  coverageSchema,
  day,
  fundingOperations,
  type FundingSync,
  type Operation,
  syncListOperations,
  syncSchema,
  syncsSchema,
} from '@financing-checkout/contract/reconciliation';
import {
  addCommand,
  addGroup,
  addVerb,
  CommandFailure,
  printAnswer,
  type Register,
  shared,
} from '@financing-checkout/kit/cli';
import { ask, get, readLines, readPart } from './ask.ts';
import { exits } from './peer.ts';
import { Finding, judgeProof, readSummary } from './outcome.ts';
import { ProgressBar, type Screen } from './progress-bar.ts';
import type { Shell } from './shell.ts';
import { verbsOf } from './verbs.ts';

const LISTED = 10;

/** Registers `sync` and `status`, which read fundings and show how much of them is proven. */
export const registerSync: Register<Shell> = (program, shell) => {
  const sync = {
    usage: 'sync',
    description: 'read fundings from the service until each day is proven',
    options: {
      from: shared.from('first day, such as 2026-01-01, in RECONCILIATION_ZONE', day),
      to: shared.to('last day', day),
      json: shared.json(),
    },
    help: `Without days, reads the last seven days, older ones once a day, and the whole history (400 days) once a
week. Each day is read until two passes agree. An unproven day keeps its content and is listed by
"financing-reconcile status". An interrupted sync resumes when the same days, or again no days, are
requested; days that it read more than a day ago are read again.
Ends with 3 if some days are unproven or a record is in quarantine.

Examples:
  financing-reconcile sync
  financing-reconcile sync --from 2026-01-01 --to 2026-03-31`,
  };
  addCommand(program, sync, async ({ from, to, json }) => {
    // Control sequences would garble the bar.
    const isDumb = shell.env.TERM === 'dumb';
    const screen: Screen = isDumb ? { write: () => undefined } : process.stderr;
    const begun = await beginOrFollow(shell, { from, to });
    const run = await follow(shell, begun, new ProgressBar(screen, shell.say));
    printAnswer(shell, json, run, runLines);
    judgeRun(run);
  });

  const status = {
    usage: 'status',
    description: 'show the completeness of the fundings, and problems',
    options: { json: shared.json() },
  };
  addCommand(program, status, async ({ json }) => {
    const coverage = await get(shell, '/coverage', coverageSchema);
    printAnswer(shell, json, coverage, coverageLines);
    judgeCoverage(coverage);
    // Also covers the days between the oldest ledger line and the first day read, and quarantined
    // records.
    judgeProof(await readSummary(shell));
  });
};

/** Registers `fundings`, which lists days, their sums, unproven days, quarantined records and syncs. */
export const registerFundings: Register<Shell> = (program, shell) => {
  const fundings = addGroup(
    program,
    'fundings',
    'list the days of the fundings, what is not proven, and the syncs',
    `Examples:
  financing-reconcile fundings quarantine
  financing-reconcile fundings sums --from 2026-11-01 --format xlsx --output november.xlsx`,
  );
  const verbs = verbsOf(shell);
  for (const one of Object.values<Operation>(fundingOperations)) addVerb(fundings, one, verbs);
  addVerb(fundings, syncListOperations.list, verbs);
};

/** Starts a sync, or follows the one that is running. */
async function beginOrFollow(
  shell: Shell,
  range: { from: string | undefined; to: string | undefined },
): Promise<FundingSync> {
  try {
    return await ask(shell, {
      method: 'POST',
      path: '/syncs',
      body: range,
      schema: syncSchema,
    });
  } catch (error) {
    if (!(error instanceof CommandFailure) || !error.message.includes('(sync-busy)')) throw error;
    const { syncs } = await get(shell, '/syncs', syncsSchema);
    const running = syncs.find(({ state }) => state === 'running');
    if (!running || range.from !== undefined) throw error;
    shell.say('A sync is already running: following it.');
    return running;
  }
}

async function follow(shell: Shell, begun: FundingSync, bar: ProgressBar): Promise<FundingSync> {
  let run = begun;
  const path = `/syncs/${encodeURIComponent(begun.id)}/events`;
  const since = { at: Date.now(), records: begun.records, done: begun.days.done };
  try {
    for await (const line of readLines(shell, { path, type: 'text/event-stream' })) {
      if (!line.startsWith('data: ')) continue;
      run = readPart(syncSchema, line.slice('data: '.length));
      bar.show({
        done: run.days.done - since.done,
        planned: run.days.planned - since.done,
        records: run.records - since.records,
        seconds: (Date.now() - since.at) / 1000,
      });
    }
  } finally {
    bar.end();
  }
  if (run.endedAt === undefined) {
    throw new CommandFailure(
      'The sync was interrupted. Run the same command again when the program is ready: it resumes the sync.',
    );
  }
  return run;
}

function runLines(run: FundingSync): string[] {
  const { days } = run;
  const seconds = run.endedAt
    ? (Date.parse(run.endedAt) - Date.parse(run.startedAt)) / 1000
    : undefined;
  return [
    `sync         ${run.id}`,
    `state        ${run.state}${run.reason === undefined ? '' : `: ${run.reason}`}`,
    `days         ${run.from} to ${run.to} (${run.zone}): ${days.done} proven, ${days.unproven} not`,
    `records      ${run.records}, of these ${run.changed} new or changed, ${run.gone} gone`,
    ...(run.quarantined > 0
      ? [`quarantine   ${run.quarantined} (see "financing-reconcile status")`]
      : []),
    ...(run.resumed > 0
      ? [`resumed      ${run.resumed === 1 ? 'once' : `${run.resumed} times`}`]
      : []),
    ...(run.closed ?? []).map(
      ({ period, days: late }) =>
        `closed       ${late.length} ${late.length === 1 ? 'day' : 'days'} of ${period} changed; the period stays as it is, and the open one counts it`,
    ),
    ...(seconds === undefined ? [] : [`time         ${seconds.toFixed(1)} s`]),
  ];
}

function coverageLines(coverage: Coverage): string[] {
  const { from, to, unproven, quarantined, last } = coverage;
  if (from === undefined || to === undefined) {
    return ['Nothing has been read from the service yet. Run "financing-reconcile sync".'];
  }
  const more = coverage.unprovenDays - Math.min(unproven.length, LISTED);
  return [
    `days         ${from} to ${to} (${coverage.zone}): ${coverage.days - coverage.unprovenDays} of ${coverage.days} proven`,
    `records      ${coverage.records}`,
    ...unproven
      .slice(0, LISTED)
      .map(
        ({ day, state, reason }) =>
          `  ${day}  ${state}${reason === undefined ? '' : `: ${reason}`}`,
      ),
    ...(more > 0 ? [`  and ${more} more`] : []),
    ...(quarantined.length > 0 ? ['not held:'] : []),
    ...quarantined
      .slice(0, LISTED)
      .map(
        ({ day, merchantOrderId = 'no order', reason }) =>
          `  ${day}  ${merchantOrderId}  ${reason}`,
      ),
    ...(quarantined.length > LISTED ? [`  and more: --json has them`] : []),
    ...(last === undefined
      ? []
      : [
          `last sync    ${last.startedAt}  ${last.state}${last.reason === undefined ? '' : `: ${last.reason}`}`,
        ]),
  ];
}

function judgeRun(run: FundingSync): void {
  if (run.state !== 'complete') {
    throw new Finding(
      `The sync is ${run.state}: ${run.days.unproven} ${run.days.unproven === 1 ? 'day is' : 'days are'} not proven. "financing-reconcile status" lists them.`,
      exits.incomplete,
    );
  }
  if (run.quarantined > 0) {
    throw new Finding(
      `${run.quarantined} ${run.quarantined === 1 ? 'record' : 'records'} in quarantine. "financing-reconcile status" lists them.`,
      exits.incomplete,
    );
  }
}

function judgeCoverage(coverage: Coverage): void {
  if (coverage.days > 0 && coverage.unprovenDays === 0) return;
  throw new Finding('The data is not complete: run "financing-reconcile sync".', exits.incomplete);
}
