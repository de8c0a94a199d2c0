import { exceptionCodes } from '@financing-checkout/contract/reconciliation';
import { expect, onTestFinished, test } from 'vitest';
import { openFacts } from '../facts/open.ts';
import { watchStore } from '../facts/unavailable.ts';
import { temporaryFolder } from '../facts/facts.fixture.ts';
import { createProgram } from '../program.ts';
import { configure, run, shopDays, startShop } from '../program.fixture.ts';
import { createMetrics } from './metrics.ts';

interface Asked {
  request: (path: string) => Response | Promise<Response>;
}

/** Returns the program's own samples, without histogram buckets. */
async function samplesOf(app: Asked): Promise<string[]> {
  const response = await app.request('/metrics');
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=/);
  const lines = (await response.text()).split('\n');
  return lines.filter((line) => line.startsWith('financing_') && !line.includes('_bucket'));
}

test('measures role, syncs, proofs, facts, passes, cases, alerts and the analytics database', async () => {
  const shop = await startShop(1);
  const program = await run(configure(shop), { metrics: createMetrics('1') });
  await program.sync(shopDays());
  await program.app.request('/orders/order%3AA-1');
  await program.app.request('/nothing-A-1');
  const samples = await samplesOf(program.app);
  const head = await program.engine.facts.head();
  const prefix = 'financing_reconciliation_';
  expect(samples).toEqual(
    expect.arrayContaining([
      'financing_http_request_duration_seconds_count{listener="reconciliation",method="GET",route="/orders/:orderKey",status="200"} 1',
      'financing_http_request_duration_seconds_count{listener="reconciliation",method="GET",route="none",status="404"} 1',
      'financing_http_problems_total{listener="reconciliation",code="not-found"} 1',
      'financing_http_problems_total{listener="reconciliation",code="store-unavailable"} 0',
      `${prefix}build_info{version="1"} 1`,
      `${prefix}role{role="leader"} 1`,
      `${prefix}role{role="standby"} 0`,
      `${prefix}facts_head ${head}`,
      `${prefix}facts_applied ${program.engine.data.status.caughtUp}`,
      `${prefix}sync_state{state="complete"} 1`,
      `${prefix}sync_state{state="running"} 0`,
      `${prefix}sync_records 2`,
      `${prefix}sync_records_quarantined 0`,
      `${prefix}days_unproven 0`,
      `${prefix}last_proven_day_age_seconds 0`,
      `${prefix}statuses_unexplained 0`,
      `${prefix}alerts{state="waiting"} 0`,
      `${prefix}alerts{state="dead"} 0`,
      `${prefix}alerts_oldest_waiting_seconds 0`,
      `${prefix}analytics_state{state="ready"} 1`,
      `${prefix}analytics_state{state="failed"} 0`,
      `${prefix}orders_to_judge 0`,
      `${prefix}cases_open{code="STATUS_DISAGREES"} 1`,
      `${prefix}store_errors_total 0`,
      `${prefix}pass_duration_seconds_count{outcome="failed"} 0`,
    ]),
  );
  const valueOf = (name: string) =>
    Number(samples.find((line) => line.startsWith(`${prefix}${name} `))?.split(' ')[1]);
  expect(valueOf('sync_duration_seconds')).toBeGreaterThan(0);
  expect(valueOf('sync_started_timestamp_seconds')).toBeGreaterThan(1_700_000_000);
  expect(valueOf('analytics_size_bytes')).toBeGreaterThan(10_000);
  expect(valueOf('pass_duration_seconds_count{outcome="completed"}')).toBeGreaterThan(0);
  const codes = samples.filter((line) => line.startsWith(`${prefix}cases_open`));
  expect(codes).toHaveLength(exceptionCodes.length);
  expect(samples.join('\n')).not.toMatch(/A-1|mtx-|sync_[0-9a-f]{8}-/);
});

test('measures only the process until the data is open', async () => {
  const shop = await startShop(0);
  const { app } = createProgram(configure(shop), { metrics: createMetrics('1') });
  const samples = await samplesOf(app);
  const own = samples.filter((line) => !line.startsWith('financing_http_'));
  expect(own.map((line) => line.replace(/ .*$/, '')).toSorted()).toEqual([
    'financing_reconciliation_build_info{version="1"}',
    ...['count', 'sum'].flatMap((kind) =>
      ['completed', 'failed'].map(
        (outcome) =>
          `financing_reconciliation_lake_write_duration_seconds_${kind}{outcome="${outcome}"}`,
      ),
    ),
    'financing_reconciliation_pass_duration_seconds_count{outcome="completed"}',
    'financing_reconciliation_pass_duration_seconds_count{outcome="failed"}',
    'financing_reconciliation_pass_duration_seconds_sum{outcome="completed"}',
    'financing_reconciliation_pass_duration_seconds_sum{outcome="failed"}',
    'financing_reconciliation_role{role="leader"}',
    'financing_reconciliation_role{role="standby"}',
    'financing_reconciliation_store_errors_total',
  ]);
});

test('answers 404 for a command, which has no metrics', async () => {
  const { app } = createProgram(configure(await startShop(0)));
  expect((await app.request('/metrics')).status).toBe(404);
});

test('counts operations that failed because the store is unavailable, and no others', async () => {
  const facts = await openFacts(`${temporaryFolder()}/facts.db`);
  onTestFinished(() => facts.close());
  const failures = [
    Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }),
    new Error('own'),
  ];
  const failing = { ...facts, head: () => Promise.reject(failures.shift() ?? new Error('none')) };
  let count = 0;
  const watched = watchStore(failing, () => count++);
  await expect(watched.head()).rejects.toThrow('refused');
  await expect(watched.head()).rejects.toThrow('own');
  expect(await watched.syncs(1)).toEqual([]);
  expect(watched.id).toBe(facts.id);
  expect(count).toBe(1);
});
