import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { patienceMs } from '../../vitest.shared.ts';
import { readConfiguration, serve } from '../../packages/reconciliation/dist/index.js';
import {
  readConfiguration as readCompanionConfiguration,
  silentLogger,
} from '../../packages/server/dist/index.js';
import { serveCompanion } from '../../packages/server/dist/node/index.js';
import { blocksOf } from './blocks.ts';
import { root } from './tree.ts';

const folder = mkdtempSync(join(tmpdir(), 'monitoring-'));
const ends: (() => Promise<void>)[] = [() => rm(folder, { recursive: true })];
afterAll(async () => {
  for (const end of ends.toReversed()) await end();
});

interface Metric {
  name: string;
  type: string;
  help: string;
}

/** A program of which the metrics are scraped, with its documents. */
interface Monitored {
  name: 'companion' | 'reconciliation';
  metrics: Metric[];
  /** Text of a scrape. */
  text: string;
}

const programs: Record<Monitored['name'], Monitored> = {
  companion: { name: 'companion', metrics: [], text: '' },
  reconciliation: { name: 'reconciliation', metrics: [], text: '' },
};
const names = ['companion', 'reconciliation'] as const;
const documents = {
  companion: {
    metrics: 'packages/server/docs/metrics.md',
    alerts: 'packages/server/docs/deploying.md',
  },
  reconciliation: {
    metrics: 'packages/reconciliation/docs/metrics.md',
    alerts: 'packages/reconciliation/docs/metrics.md',
  },
};

beforeAll(async () => {
  const companion = await serveCompanion(
    readCompanionConfiguration(
      {
        FINANCING_ENVIRONMENT: 'sandbox',
        FINANCING_BASE_URL: 'https://service.example/',
        FINANCING_PUBLIC_API_KEY: 'public-key-0123456789',
        FINANCING_PRIVATE_API_KEY: 'private-key-0123456789',
        ORDER_TICKET_SECRET: 'x'.repeat(32),
        COMPANION_ALLOWED_ORIGINS: 'https://shop.example',
        COMPANION_PORT: '0',
        COMPANION_BACK_OFFICE_PORT: '0',
        COMPANION_STORE: `sqlite:${join(folder, 'companion.db')}`,
      },
      () => '',
    ),
    silentLogger,
  );
  ends.push(() => companion.stop());
  const reconciliation = await serve(
    readConfiguration(
      {
        RECONCILIATION_ENVIRONMENT: 'sandbox',
        RECONCILIATION_STORE: `sqlite:${join(folder, 'facts.db')}`,
        RECONCILIATION_COMPANION_URL: companion.backOfficeUrl,
        RECONCILIATION_PORT: '0',
      },
      () => '',
    ),
    { logger: silentLogger },
  );
  ends.push(() => reconciliation.stop());
  const isReady = async () => {
    expect((await fetch(`${reconciliation.url}/readyz`)).status).toBe(200);
  };
  await vi.waitFor(isReady, { timeout: patienceMs });
  programs.companion = await scrape('companion', companion.backOfficeUrl);
  programs.reconciliation = await scrape('reconciliation', reconciliation.url);
});

async function scrape(name: Monitored['name'], url: string): Promise<Monitored> {
  const response = await fetch(`${url}/metrics`);
  expect(response.status).toBe(200);
  const text = await response.text();
  const metrics = Array.from(
    text.matchAll(/^# HELP (\S+) (.*)\n# TYPE \1 (\w+)$/gm),
    ([, metric = '', help = '', type = '']) => ({ name: metric, help, type }),
  );
  expect(metrics.length).toBeGreaterThan(40);
  return { name, metrics, text };
}

/** Returns the names of the samples that the metrics of a program can have. */
function sampleNamesOf({ metrics }: Monitored): Set<string> {
  const suffixes: Record<string, string[]> = {
    histogram: ['_bucket', '_sum', '_count'],
    summary: ['', '_sum', '_count'],
  };
  return new Set(
    metrics.flatMap(({ name, type }) => (suffixes[type] ?? ['']).map((suffix) => name + suffix)),
  );
}

const words = new Set(['and', 'or', 'unless', 'bool', 'offset']);

/** Returns the metrics that an expression names. */
function metricsIn(expression: string): string[] {
  const bare = expression
    .replaceAll(/"[^"]*"/g, '')
    .replaceAll(/\{[^}]*\}|\[[^\]]*\]/g, ' ')
    .replaceAll(/\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, ' ');
  return Array.from(
    bare.matchAll(/(?<![\w.$])([a-zA-Z_:][\w:]*)(?!\w*\s*\()/g),
    ([, name = '']) => name,
  ).filter((name) => !words.has(name));
}

/** Returns the selectors of an expression whose values a program has from its start. */
function fixedSelectorsIn(expression: string): { metric: string; label: string; value: string }[] {
  return Array.from(expression.matchAll(/([a-z_]+)\{([^}]*)\}/g)).flatMap(
    ([, metric = '', inner = '']) =>
      Array.from(
        inner.matchAll(/\b(state|code|event|role|outcome)="([^"]*)"/g),
        ([, label = '', value = '']) => ({
          metric,
          label,
          value,
        }),
      ),
  );
}

interface Rule {
  group: string;
  alert: string;
  expr: string;
  for: string;
  severity: string;
}

interface RuleFile {
  groups: {
    name: string;
    rules: (Omit<Rule, 'group'> & {
      labels: { severity: string };
      annotations: { summary: string; runbook_url: string };
    })[];
  }[];
}

/** Path of the on-call cards in the documentation as a site. */
const [, onCallPage = ''] =
  /id: '([^']+)',[^}]*file: 'docs\/on-call.md'/.exec(
    readFileSync(join(root, 'site/src/sections.ts'), 'utf8'),
  ) ?? [];

/** Returns the rules of deploy/monitoring/alerts.yaml. */
function rules(): Rule[] {
  const text = readFileSync(join(root, 'deploy/monitoring/alerts.yaml'), 'utf8');
  const { groups } = load(text) as RuleFile;
  return groups.flatMap(({ name, rules: own }) =>
    own.map((rule) => {
      // Prometheus does not start with an unknown field.
      const fields = ['alert', 'annotations', 'expr', 'for', 'labels'];
      expect(Object.keys(rule).toSorted()).toEqual(fields);
      expect(rule.for).toMatch(/^\d+[mh]$/);
      expect(['critical', 'warning']).toContain(rule.labels.severity);
      expect(rule.annotations.summary).not.toBe('');
      // Absolute: a pager shows it outside of the repository.
      expect(rule.annotations.runbook_url).toBe(
        `https://docs.shop.example/${onCallPage}/#${rule.alert.toLowerCase()}`,
      );
      const { alert, expr, labels } = rule;
      return { group: name, alert, expr, for: rule.for, severity: labels.severity };
    }),
  );
}

function rulesOf(name: Monitored['name']): Rule[] {
  return rules().filter(({ group }) => group === `financing-${name}`);
}

interface Dashboard {
  panels: { id: number; targets: { expr: string }[] }[];
  templating: { list: { type: string; query: string }[] };
}

function expressionsOf(name: Monitored['name']): string[] {
  const file = join(root, `deploy/monitoring/grafana-${name}.json`);
  const { panels, templating } = JSON.parse(readFileSync(file, 'utf8')) as Dashboard;
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const variables = templating.list.filter(({ type }) => type === 'query');
  return [
    ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ...variables.map(({ query }) => query.replace(/^label_values\((\w+), \w+\)$/, '$1')),
  ];
}

test('names the metrics of an expression, without functions, labels and keywords', () => {
  expect(
    metricsIn(
      'histogram_quantile(0.95, sum by (le) (rate(a_bucket{job="$job"}[$__rate_interval]))) > 1 and on (job, instance) b',
    ),
  ).toEqual(['a_bucket', 'b']);
  expect(metricsIn('time() - max(a{job="x"}) > 2 unless absent(b) == 1e3')).toEqual(['a', 'b']);
});

test('each alert has a card of its severity, with what to look at and what to do', () => {
  const text = readFileSync(join(root, 'docs/on-call.md'), 'utf8');
  const cards = text.split(/^### /m).slice(1);
  const whole =
    /^(\w+)\n\n\*\*(critical|warning)\.\*\* .+\n\n- \*\*Look at\*\* .+\n- \*\*Then\*\* .+/;
  const made = cards.map((card) => whole.exec(card)?.slice(1));
  expect(made).toEqual(rules().map(({ alert, severity }) => [alert, severity]));
});

test('the command of docs/production.md leads every alert to the documentation of a merchant', () => {
  const [command = ''] = blocksOf('docs/production.md', 'sh').filter((code) =>
    code.includes('alerts.yaml'),
  );
  const text = execFileSync('sh', ['-c', command.replace(/ >\S+\s*$/, '')], {
    cwd: root,
    encoding: 'utf8',
  });
  const urls = text.match(/(?<=runbook_url: ').+(?=')/g) ?? [];
  expect(urls).toHaveLength(rules().length);
  expect(urls.filter((url) => !url.startsWith('https://docs.my-shop.example/'))).toEqual([]);
});

describe.each(names)('%s', (name) => {
  test('has each metric and each label value of its alerts and its dashboard', () => {
    const program = programs[name];
    const known = sampleNamesOf(program);
    const alerts = rulesOf(name).map(({ expr }) => expr);
    expect(alerts.length).toBeGreaterThan(15);
    for (const expression of [...alerts, ...expressionsOf(name)]) {
      const named = metricsIn(expression);
      expect(named, expression).not.toEqual([]);
      expect(
        named.filter((one) => !known.has(one)),
        expression,
      ).toEqual([]);
      for (const { metric, label, value } of fixedSelectorsIn(expression)) {
        expect(program.text, expression).toMatch(
          new RegExp(`^${metric}\\{(?:[^}]*,)?${label}="${value}"`, 'm'),
        );
      }
    }
  });

  test('documents each alert', () => {
    const text = readFileSync(join(root, documents[name].alerts), 'utf8');
    const documented = Array.from(
      text.matchAll(/^\| `([^`]+)`(?: for (\d+) (minute|hour)s?)? +\| /gm),
      ([, expr, time = '0', unit = 'minute']) => `${expr} for ${time}${unit.charAt(0)}`,
    ).filter((one) => /[<>=(]/.test(one));
    expect(rulesOf(name).map((rule) => `${rule.expr} for ${rule.for}`)).toEqual(documented);
  });

  test('documents each metric', () => {
    const path = join(root, documents[name].metrics);
    const text = readFileSync(path, 'utf8');
    const rows = programs[name].metrics
      .toSorted((one, other) => (one.name < other.name ? -1 : 1))
      .map(
        (metric) =>
          `| \`${metric.name}\` | ${metric.type} | ${metric.help.replaceAll('|', '\\|')} |`,
      );
    const table = [
      '<!-- oxfmt-ignore -->',
      '| metric | type | meaning |',
      '| --- | --- | --- |',
      ...rows,
    ];
    const current = text.replace(
      /<!-- metrics -->[^]*<!-- end of metrics -->/,
      () => `<!-- metrics -->\n\n${table.join('\n')}\n\n<!-- end of metrics -->`,
    );
    if (process.env.UPDATE_DOCS === '1') writeFileSync(path, current);
    else expect(text, 'UPDATE_DOCS=1 writes them').toBe(current);
  });
});
