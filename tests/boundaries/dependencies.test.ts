import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cruise, type IModule, type IReachabilityForbiddenRuleType } from 'dependency-cruiser';
import extractDepcruiseOptions from 'dependency-cruiser/config-utl/extract-depcruise-options';
import ts from 'typescript';
import { beforeAll, describe, expect, it, test } from 'vitest';
import { plantedTree, root } from './tree.ts';

const sources = [
  'packages/*/src',
  'packages/*/*.config.ts',
  'packages/*/frameworks/*.js',
  'examples/*/src',
  'examples/*/pages',
  'examples/*/*.config.ts',
  'scripts',
  'tests',
];

/** Tests and fixtures are not published, so the rules of their package do not apply. */
const tests = /\.(test|fixture)\.ts$/;

/** Timeout in milliseconds for reading some hundred files on a busy machine. */
const cruiseTimeout = 120_000;

interface Violation {
  rule: string;
  from: string;
  to: string;
}

interface Dependencies {
  modules: IModule[];
  rules: string[];
  violations: Violation[];
}

async function dependencies(baseDir: string): Promise<Dependencies> {
  const options = await extractDepcruiseOptions(join(root, '.dependency-cruiser.js'));
  const forbidden = options.ruleSet?.forbidden ?? [];
  // dependency-cruiser searches a path between each two modules, which takes half of its time.
  const unreachable = forbidden.filter(
    (rule): rule is IReachabilityForbiddenRuleType => 'to' in rule && 'reachable' in rule.to,
  );
  const others = forbidden.filter((rule) => !unreachable.some((one) => one === rule));
  const { output } = await cruise(globSync(sources, { cwd: baseDir }), {
    ...options,
    ruleSet: { ...options.ruleSet, forbidden: others },
    baseDir,
  });
  if (typeof output === 'string') throw new Error(output);
  const { modules, summary } = output;
  return {
    modules,
    rules: forbidden.map(({ name }) => name ?? ''),
    violations: [
      ...summary.violations.map(({ rule, from, to }) => ({ rule: rule.name, from, to })),
      ...findReached(modules, unreachable),
    ],
  };
}

/** Finds the modules that may not be reachable, over any number of other modules. */
function findReached(
  modules: readonly IModule[],
  rules: readonly IReachabilityForbiddenRuleType[],
) {
  const imports = new Map(
    modules.map(({ source, dependencies }) => [
      source,
      dependencies.map(({ resolved }) => resolved),
    ]),
  );
  /** Returns all that a module reaches. */
  const reachedBy = (source: string) => {
    const reached = new Set([source]);
    for (const each of reached) for (const one of imports.get(each) ?? []) reached.add(one);
    reached.delete(source);
    return [...reached];
  };
  const found: Violation[] = [];
  for (const { source } of modules) {
    const applied = rules.filter(({ from }) => matches(from, source));
    const reached = applied.length > 0 ? reachedBy(source) : [];
    for (const { name = '', to } of applied) {
      found.push(
        ...reached
          .filter((one) => matches(to, one))
          .map((one) => ({ rule: name, from: source, to: one })),
      );
    }
  }
  return found;
}

type Side = IReachabilityForbiddenRuleType['from'];

/** Returns whether a side of a rule, such as `from`, includes a file. */
function matches({ path = [], pathNot = [] }: Side, file: string): boolean {
  const isLike = (pattern: string) => new RegExp(pattern).test(file);
  return [path].flat().some(isLike) && ![pathNot].flat().some(isLike);
}

const server = '../../../server/src/index.ts';

/** Returns a file in a room of a package that imports from a room beside it or below it. */
const roomPlant = (room: string, file: string, name = 'reconciliation') => ({
  [`packages/${name}/src/${room}/planted.ts`]: `import type {} from '../${file}';`,
});

/** Files that break each rule, by rule and file name. */
const plants: Record<string, Record<string, string>> = {
  'widget-never-server': {
    'packages/widget/src/planted/bare.ts': "import '@financing-checkout/server';",
    'packages/widget/src/planted/relative.ts': `import '${server}';`,
    'packages/widget/src/planted/type.ts': `export type { CompanionOptions } from '${server}';`,
    'packages/widget/src/planted/later.ts': `export const later = () => import('${server}');`,
    'packages/widget/src/planted/through-another.ts': "import './relative.ts';",
    'packages/widget/src/planted/signing.ts': "import '@financing-checkout/ticket';",
    'packages/widget/src/planted/fence.ts': "import '@financing-checkout/key-fence';",
    'packages/widget/src/planted/sandbox.ts': "import '../../../sandbox/src/index.ts';",
    'packages/widget/frameworks/planted.js': "import '@financing-checkout/server';",
  },
  'widget-never-node': {
    'packages/widget/src/planted/node.ts': "import 'node:fs';",
    'packages/widget/src/planted/old-node.ts': "import 'path';",
    'packages/widget/src/planted/through-node.ts': "import './node.ts';",
  },
  'widget-only-lit': {
    'packages/widget/src/planted/library.ts': "import 'zod';",
  },
  'widget-react-in-its-room': {
    'packages/widget/src/views/planted-react.ts': "import 'react';",
  },
  'widget-contract-as-types': {
    'packages/widget/src/planted/value.ts': "import '@financing-checkout/contract';",
  },
  'contract-only-zod': {
    'packages/contract/src/planted/node.ts': "import 'node:crypto';",
    'packages/contract/src/planted/server.ts': `import '${server}';`,
    'packages/contract/src/planted/library.ts': "import 'lit';",
  },
  'rules-only-contract': {
    'packages/reconciliation-rules/src/planted/node.ts': "import 'node:fs';",
    'packages/reconciliation-rules/src/planted/server.ts': `import type {} from '${server}';`,
    'packages/reconciliation-rules/src/planted/library.ts': "import 'zod';",
  },
  'reconciliation-never-key': {
    'packages/reconciliation/src/cli/planted-server.ts': `import type {} from '${server}';`,
    'packages/reconciliation/src/cli/planted-name.ts': "import '@financing-checkout/server/node';",
    'packages/reconciliation/src/cli/planted-fence.ts': "import '@financing-checkout/key-fence';",
  },
  'server-never-reconciliation': {
    'packages/server/src/planted/program.ts': "import '@financing-checkout/reconciliation';",
    'packages/server/src/planted/rules.ts':
      "import type {} from '../../../reconciliation-rules/src/index.ts';",
  },
  'console-never-server': {
    'packages/console/src/api/planted-server.ts': `import type {} from '${server}';`,
    'packages/console/src/api/planted-program.ts': "import '@financing-checkout/reconciliation';",
    'packages/console/src/api/planted-node.ts': "import 'node:fs';",
  },
  'console-contract-as-types': {
    'packages/console/src/api/planted-value.ts': "import '@financing-checkout/contract';",
  },
  'console-rooms-1': roomPlant('api', 'parts/page.ts', 'console'),
  'console-rooms-2': roomPlant('parts', 'pages/today.ts', 'console'),
  'console-rooms-3': roomPlant('pages', 'shell/theme.ts', 'console'),
  'console-rooms-4': roomPlant('shell', 'main.ts', 'console'),
  'reconciliation-rooms-1': roomPlant('platform', 'facts/store.ts'),
  'reconciliation-rooms-2': roomPlant('facts', 'analytics/schema.ts'),
  'reconciliation-rooms-3': roomPlant('analytics', 'sync/plan.ts'),
  'reconciliation-rooms-4': {
    ...roomPlant('sync', 'queries/rows.ts'),
    ...roomPlant('imports', 'sync/plan.ts'),
    ...roomPlant('statuses', 'cases/record.ts'),
    ...roomPlant('cases', 'statuses/policy.ts'),
  },
  'reconciliation-rooms-5': {
    ...roomPlant('queries', 'http/queries.ts'),
    ...roomPlant('companion', 'config/config.ts'),
    ...roomPlant('config', 'engine/errors.ts'),
  },
  'reconciliation-rooms-6': {
    ...roomPlant('engine', 'http/app.ts'),
    ...roomPlant('migration', 'engine/errors.ts'),
  },
  'reconciliation-rooms-7': roomPlant('http', 'program.ts'),
  'reconciliation-rooms-8': {
    'packages/reconciliation/src/planted.ts': "import './cli/shell.ts';",
  },
  'server-rooms-1': roomPlant('platform', 'store/store.ts', 'server'),
  'server-rooms-2': roomPlant('store', 'keys/key-ring.ts', 'server'),
  'server-rooms-3': roomPlant('keys', 'service/client.ts', 'server'),
  'server-rooms-4': {
    ...roomPlant('service', 'programmes/file.ts', 'server'),
    ...roomPlant('programmes', 'service/client.ts', 'server'),
  },
  'server-rooms-5': roomPlant('charges', 'checkout/prime.ts', 'server'),
  'server-rooms-6': roomPlant('checkout', 'webhook/delivery.ts', 'server'),
  'server-rooms-7': roomPlant('notifications', 'storefront/api.ts', 'server'),
  'server-rooms-8': {
    ...roomPlant('storefront', 'options.ts', 'server'),
    ...roomPlant('back-office', 'storefront/api.ts', 'server'),
  },
  'server-rooms-9': roomPlant('config', 'options.ts', 'server'),
  'server-rooms-10': {
    'packages/server/src/planted.ts': "import './node/listen.ts';",
  },
  'sandbox-rooms-1': {
    ...roomPlant('platform', 'state/database.ts', 'sandbox'),
    ...roomPlant('published', 'platform/money.ts', 'sandbox'),
  },
  'sandbox-rooms-2': {
    ...roomPlant('environments', 'state/clock.ts', 'sandbox'),
    ...roomPlant('listener', 'faults/faults.ts', 'sandbox'),
    ...roomPlant('state', 'lenders/terms.ts', 'sandbox'),
  },
  'sandbox-rooms-3': {
    ...roomPlant('lenders', 'checkout/offers.ts', 'sandbox'),
    ...roomPlant('faults', 'api/errors.ts', 'sandbox'),
  },
  'sandbox-rooms-4': roomPlant('checkout', 'charges/charge.ts', 'sandbox'),
  'sandbox-rooms-5': roomPlant('charges', 'fundings/store.ts', 'sandbox'),
  'sandbox-rooms-6': {
    ...roomPlant('fundings', 'notifications/event.ts', 'sandbox'),
    ...roomPlant('notifications', 'service.ts', 'sandbox'),
  },
  'sandbox-rooms-7': {
    'packages/sandbox/src/service-planted.ts': "import type {} from './api/app.ts';",
  },
  'sandbox-rooms-8': {
    ...roomPlant('api', 'hosted/app.ts', 'sandbox'),
    ...roomPlant('hosted', 'control/app.ts', 'sandbox'),
    ...roomPlant('seed', 'sandbox.ts', 'sandbox'),
    ...roomPlant('conformance', 'control/app.ts', 'sandbox'),
  },
  'sandbox-rooms-9': roomPlant('control', 'sandbox.ts', 'sandbox'),
  'sandbox-rooms-10': {
    'packages/sandbox/src/sandbox-planted.ts': "import type {} from './cli/program.ts';",
  },
  'sandbox-rooms-11': roomPlant('cli', 'index.ts', 'sandbox'),
  'widget-rooms-1': roomPlant('model', 'events/error-event.ts', 'widget'),
  'widget-rooms-2': {
    ...roomPlant('events', 'texts/first.ts', 'widget'),
    ...roomPlant('scenario', 'events/error-event.ts', 'widget'),
    ...roomPlant('texts', 'companion/ticket.ts', 'widget'),
  },
  'widget-rooms-3': roomPlant('platform', 'companion/ticket.ts', 'widget'),
  'widget-rooms-4': roomPlant('companion', 'views/view.ts', 'widget'),
  'widget-rooms-5': roomPlant('views', 'presentations/frame.ts', 'widget'),
  'widget-rooms-6': roomPlant('presentations', 'simulation/simulation.ts', 'widget'),
  'widget-rooms-7': roomPlant('simulation', 'checkout/attempt.ts', 'widget'),
  'widget-rooms-8': roomPlant('flow', 'checkout/attempt.ts', 'widget'),
  'widget-rooms-9': roomPlant('checkout', 'doctor/doctor.ts', 'widget'),
  'widget-rooms-10': roomPlant('prequalify', 'doctor/doctor.ts', 'widget'),
  'widget-rooms-11': roomPlant('development', 'doctor/doctor.ts', 'widget'),
  'widget-rooms-12': roomPlant('doctor', 'financing-checkout.ts', 'widget'),
  'widget-rooms-13': {
    'packages/widget/src/planted.ts': "import './testing/harness.ts';",
  },
  'server-never-browser': {
    'packages/server/src/planted/widget.ts': "import '../../../widget/src/index.ts';",
    'packages/server/src/planted/through.ts': "import './widget.ts';",
    'packages/server/src/planted/lit.ts': "import 'lit';",
  },
  'sandbox-never-ours': {
    'packages/sandbox/src/planted/contract.ts': "import '@financing-checkout/contract';",
    'packages/sandbox/src/planted/server.ts': `import type {} from '${server}';`,
  },
  'ticket-only-libraries': {
    'packages/ticket/src/planted/kit.ts': "import '@financing-checkout/kit';",
    'packages/ticket/src/planted/server.ts': `import type {} from '${server}';`,
    'packages/ticket/src/planted/node.ts': "import 'node:crypto';",
  },
  'kit-only-libraries': {
    'packages/kit/src/planted/contract.ts': "import type {} from '@financing-checkout/contract';",
    'packages/kit/src/planted/server.ts': `import '${server}';`,
    'packages/kit/src/planted/node.ts': "import 'node:crypto';",
  },
  'kit-sql-only-libraries': {
    'packages/kit/src/sql/planted.ts': "import 'hono';",
  },
  'kit-root-portable': {
    'packages/kit/src/planted/database.ts': "import '../sql/postgres.ts';",
    'packages/kit/src/planted/log.ts': "import '../log/pino-logger.ts';",
  },
  'key-fence-only-node': {
    'packages/key-fence/src/planted/library.ts': "import 'zod';",
    'packages/key-fence/src/planted/server.ts': `import '${server}';`,
  },
  'published-entry-points-only': {
    'examples/shop/src/planted/deep.ts':
      "import '../../node_modules/@financing-checkout/ticket/dist/sign.js';",
    'packages/server/src/planted/deep.ts': "import '../../../contract/dist/money.js';",
    'scripts/planted.ts': "import '../packages/server/src/index.ts';",
  },
  'packages-by-name': {
    'packages/server/src/planted/beside.ts': "import '../../../contract/dist/index.js';",
    'examples/shop/src/planted/beside.ts': "import '../../../../packages/server/dist/ticket.js';",
  },
  'shop-page-never-server': {
    'examples/shop/src/client/planted-server.ts': "import '@financing-checkout/server';",
    'examples/shop/src/client/planted-ticket.ts': "import '@financing-checkout/ticket';",
    'examples/shop/src/client/planted-node.ts': "import 'node:sqlite';",
    'examples/integrations/pages/planted.tsx': "import '@financing-checkout/ticket';",
  },
  'nothing-needs-tests': {
    'packages/server/src/planted/tested.ts': "import './some.fixture.ts'; import './a.test.ts';",
    'packages/server/src/planted/some.fixture.ts': 'export {};',
    'packages/server/src/planted/a.test.ts': 'export {};',
  },
  'packages-stand-alone': {
    'packages/sandbox/src/planted/script.ts': "import '../../../../scripts/paths.ts';",
  },
  'declared-dependencies-only': {
    'packages/server/src/planted/undeclared.ts': "import 'fast-check';",
    'packages/widget/src/planted/undeclared.ts': "import 'vite';",
  },
  'no-unresolved': {
    'packages/sandbox/src/planted/nowhere.ts': "import './nowhere-to-be-found.ts';",
  },
  'no-cycle': {
    'packages/server/src/planted/one.ts':
      "import { b } from './other.ts'; export const a = () => b;",
    'packages/server/src/planted/other.ts':
      "import { a } from './one.ts'; export const b = () => a;",
  },
};

/** Planted only for others to import. */
const innocent = /(?:\.fixture|\.test|\/other)\.ts$/;

/** Dependencies of the repository and of the planted files; reading them takes seconds. */
let result: Dependencies;
beforeAll(async () => {
  const tree = await plantedTree(
    Object.assign({}, ...Object.values(plants)) as Record<string, string>,
    ['bench', 'tests'],
  );
  try {
    result = await dependencies(tree.path);
  } finally {
    await tree.remove();
  }
}, cruiseTimeout);

describe('the dependencies of this repository', () => {
  /** Module specifiers of a file, as dependency-cruiser sees them. */
  const seen = (file: string) =>
    result.modules.find(({ source }) => source === file)?.dependencies ?? [];

  it('break no rule', () => {
    const planted = Object.values(plants).flatMap((files) => Object.keys(files));
    const others = result.violations.filter(({ from }) => !planted.includes(from));
    expect(others).toEqual([]);
  });

  /** Files and packages that are loaded when a module is: not for its types, not later. */
  function loadedBy(file: string, found = new Set<string>()): Set<string> {
    for (const { resolved, dependencyTypes, dynamic } of seen(file)) {
      const isForTypes = dependencyTypes.includes('type-only');
      if (isForTypes || dynamic || found.has(resolved)) continue;
      found.add(resolved);
      // An import of a workspace package resolves to its build; this maps it back to the source.
      loadedBy(resolved.replace(/^(packages\/[\w-]+)\/dist\/(.*)\.js$/, '$1/src/$2.ts'), found);
    }
    return found;
  }

  // Each thread loads its modules anew, and a library for schemas takes 15 MB of memory each time.
  test.each([
    ['reconciliation/src/statuses/rules-thread-main', 'packages/contract/dist/plain.js'],
    ['reconciliation/src/imports/reading-main', 'packages/contract/dist/plain.js'],
    ['reconciliation/src/imports/preview-main', 'packages/reconciliation/src/imports/preview.ts'],
  ])('leave schemas to the main thread: %s', (thread, itNeeds) => {
    const loaded = [...loadedBy(`packages/${thread}.ts`)];
    expect(loaded).toContain(itNeeds);
    expect(loaded.filter((file) => /\/zod\/|contract\/(?:src|dist)\/index\./.test(file))).toEqual(
      [],
    );
    expect([...loadedBy('packages/server/src/storefront/api.ts')].join()).toMatch(/\/zod\//);
  });

  test('leave the preview of a ledger file to its thread', () => {
    const loaded = [...loadedBy('packages/reconciliation/src/program.ts')];
    expect(loaded).toContain('packages/reconciliation/src/imports/preview-thread.ts');
    expect(loaded).not.toContain('packages/reconciliation/src/imports/preview.ts');
  });

  const files = globSync('packages/*/src/**/*.ts', { cwd: root });

  // With a TypeScript it cannot load, dependency-cruiser reads no TypeScript and finds no fault.
  test.each([
    'contract',
    'key-fence',
    'kit',
    'reconciliation',
    'reconciliation-rules',
    'sandbox',
    'server',
    'ticket',
    'widget',
  ])('are all read: packages/%s', (name) => {
    const own = files.filter(
      (file) => file.startsWith(`packages/${name}/src/`) && !tests.test(file),
    );
    expect(own.length).toBeGreaterThan(2);
    for (const file of own) {
      const { importedFiles } = ts.preProcessFile(readFileSync(join(root, file), 'utf8'));
      // Declarations contain no code, and the configuration excludes them.
      const code = importedFiles.filter(({ fileName }) => !fileName.endsWith('.d.ts'));
      const inText = names(code.map(({ fileName }) => fileName));
      const imports = names(seen(file).map(({ module }) => module));
      expect({ file, imports }).toEqual({ file, imports: inText });
    }
  });

  it('include types, packages and modules of Node', () => {
    expect(seen('packages/contract/src/order.ts')).toContainEqual(
      expect.objectContaining({ resolved: 'packages/contract/src/money.ts' }),
    );
    expect(seen('packages/ticket/src/verify.ts')).toContainEqual(
      expect.objectContaining({ resolved: 'packages/contract/dist/index.js' }),
    );
    expect(seen('packages/key-fence/src/plugin.ts')).toContainEqual(
      expect.objectContaining({ resolved: 'packages/key-fence/src/bundle.ts' }),
    );
    expect(seen('packages/key-fence/src/plugin.ts')).toContainEqual(
      expect.objectContaining({ module: 'crypto', coreModule: true }),
    );
  });
});

describe('a planted violation', () => {
  test.each(
    Object.entries(plants).flatMap(([rule, files]) =>
      Object.keys(files)
        .filter((file) => !innocent.test(file))
        .map((file) => [rule, file]),
    ),
  )('is found by %s in %s', (rule, file) => {
    const found = result.violations.filter(({ from }) => from === file);
    expect(found.map((violation) => violation.rule)).toContain(rule);
  });

  it('exists for every rule', () => {
    expect(Object.keys(plants).toSorted()).toEqual(result.rules.toSorted());
  });
});

/** Module specifiers, each once. */
function names(specifiers: readonly string[]): string[] {
  return [...new Set(specifiers.map((specifier) => specifier.replace(/^node:/, '')))].toSorted();
}
