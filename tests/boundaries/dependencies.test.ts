import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cruise, type IModule, type IReachabilityForbiddenRuleType } from 'dependency-cruiser';
import extractDepcruiseOptions from 'dependency-cruiser/config-utl/extract-depcruise-options';
import ts from 'typescript';
import { beforeAll, describe, expect, it, test } from 'vitest';
import { roomsSection } from './rooms.ts';
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

interface Violation {
  rule: string;
  from: string;
  to: string;
}

interface Dependencies {
  modules: IModule[];
  /** Names of the rules by which a package may not reach the companion. */
  keyRules: string[];
  violations: Violation[];
}

async function dependencies(baseDir: string): Promise<Dependencies> {
  const options = await extractDepcruiseOptions(join(root, '.dependency-cruiser.js'));
  const forbidden = options.ruleSet?.forbidden ?? [];
  // dependency-cruiser searches for a path between every two modules, which takes half of its time.
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
    keyRules: unreachable
      .filter(({ to }) => matches(to, 'packages/server/src/index.ts'))
      .map(({ name = '' }) => name),
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
  /** Returns all modules that a module reaches. */
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

/**
 * Planted files that break rules, by rule and file name: every path to the private key and the
 * ticket secret, and one file for each other kind of rule. dependency-cruiser applies all rules of
 * a kind in the same way.
 */
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
  'reconciliation-never-key': {
    'packages/reconciliation/src/cli/planted-server.ts': `import type {} from '${server}';`,
    'packages/reconciliation/src/cli/planted-name.ts': "import '@financing-checkout/server/node';",
    'packages/reconciliation/src/cli/planted-fence.ts': "import '@financing-checkout/key-fence';",
  },
  'console-never-server': {
    'packages/console/src/api/planted-server.ts': `import type {} from '${server}';`,
    'packages/console/src/api/planted-program.ts': "import '@financing-checkout/reconciliation';",
  },
  'sandbox-never-ours': {
    'packages/sandbox/src/planted/server.ts': `import type {} from '${server}';`,
  },
  'shop-page-never-server': {
    'examples/shop/src/client/planted-server.ts': "import '@financing-checkout/server';",
    'examples/shop/src/client/planted-ticket.ts': "import '@financing-checkout/ticket';",
    'examples/integrations/pages/planted.tsx': "import '@financing-checkout/ticket';",
  },
  'contract-only-zod': { 'packages/contract/src/planted/server.ts': `import '${server}';` },
  'rules-only-contract': {
    'packages/reconciliation-rules/src/planted/server.ts': `import type {} from '${server}';`,
  },
  'ticket-only-libraries': {
    'packages/ticket/src/planted/server.ts': `import type {} from '${server}';`,
  },
  'kit-only-libraries': { 'packages/kit/src/planted/server.ts': `import '${server}';` },
  'kit-measures-only-libraries': { 'packages/kit/src/metrics/planted.ts': `import 'pg';` },
  'key-fence-only-node': { 'packages/key-fence/src/planted/server.ts': `import '${server}';` },
  // A Node module under either name, directly and through another module.
  'widget-never-node': {
    'packages/widget/src/planted/node.ts': "import 'node:fs';",
    'packages/widget/src/planted/old-node.ts': "import 'path';",
    'packages/widget/src/planted/through-node.ts': "import './node.ts';",
  },
  'widget-only-lit': { 'packages/widget/src/planted/library.ts': "import 'zod';" },
  'widget-react-in-its-room': {
    'packages/widget/src/views/planted-react.ts': "import 'react';",
  },
  'widget-contract-as-types': {
    'packages/widget/src/planted/value.ts': "import '@financing-checkout/contract/storefront';",
  },
  'console-contract-as-types': {
    'packages/console/src/api/planted-value.ts':
      "import '@financing-checkout/contract/reconciliation';",
  },
  // Each package and example that serves shoppers, also for types.
  'shoppers-never-reconciliation': {
    'packages/widget/src/planted/finance.ts':
      "import type {} from '@financing-checkout/contract/reconciliation';",
    'packages/ticket/src/planted/finance.ts':
      "import '@financing-checkout/contract/reconciliation';",
    'packages/server/src/storefront/planted-finance.ts':
      "import '@financing-checkout/contract/plain';",
    'examples/shop/src/payment/planted-finance.ts':
      "import type {} from '@financing-checkout/contract/reconciliation';",
    'examples/playground/src/planted-finance.ts':
      "import '@financing-checkout/contract/reconciliation';",
  },
  'browser-never-back-office': {
    'packages/widget/src/planted/office.ts':
      "import type {} from '@financing-checkout/contract/back-office';",
    'packages/server/src/storefront/planted-office.ts':
      "import '@financing-checkout/contract/back-office';",
  },
  'contract-rooms-2': {
    'packages/contract/src/storefront/planted.ts':
      "import type {} from '../back-office/charges.ts';",
  },
  // A type import from a higher room.
  'reconciliation-rooms-1': {
    'packages/reconciliation/src/platform/planted.ts': "import type {} from '../facts/store.ts';",
  },
  // An import from a sibling room.
  'sandbox-rooms-1': {
    'packages/sandbox/src/published/planted.ts': "import type {} from '../platform/money.ts';",
  },
  // A room within a room.
  'reconciliation-imports-rooms-1': {
    'packages/reconciliation/src/imports/receive/planted.ts':
      "import type {} from '../read/index.ts';",
  },
  'reconciliation-queries-rooms-2': {
    'packages/reconciliation/src/queries/search/planted.ts':
      "import type {} from '../cases/cases.ts';",
  },
  'reconciliation-imports-door': {
    'packages/reconciliation/src/engine/planted.ts':
      "import type {} from '../imports/read/dates.ts';",
  },
  'reconciliation-imports-door-inside': {
    'packages/reconciliation/src/imports/keep/planted.ts':
      "import type {} from '../read/dates.ts';",
  },
  // A file outside all rooms.
  'widget-rooms-12': { 'packages/widget/src/planted.ts': "import './react/index.ts';" },
  'published-entry-points-only': {
    'examples/shop/src/planted/deep.ts':
      "import '../../node_modules/@financing-checkout/ticket/dist/sign.js';",
    'packages/server/src/planted/deep.ts': "import '../../../contract/dist/money/money.js';",
    'scripts/planted.ts': "import '../packages/server/src/index.ts';",
  },
  'packages-by-name': {
    'packages/server/src/planted/beside.ts': "import '../../../contract/dist/money/index.js';",
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
  },
  'no-unresolved': {
    'packages/sandbox/src/planted/nowhere.ts': "import './nowhere-to-be-found.ts';",
  },
  'no-cycle': {
    'packages/console/src/api/one.ts':
      "import type { Other } from './other.ts'; export type One = Other[];",
    'packages/console/src/api/other.ts':
      "import type { One } from './one.ts'; export type Other = One | string;",
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
});

describe('the dependencies of this repository', () => {
  /** Module specifiers of a file, as dependency-cruiser sees them. */
  const seen = (file: string) =>
    result.modules.find(({ source }) => source === file)?.dependencies ?? [];

  it('break no rule', () => {
    const planted = Object.values(plants).flatMap((files) => Object.keys(files));
    const others = result.violations.filter(({ from }) => !planted.includes(from));
    expect(others).toEqual([]);
  });

  /** Files and packages that load with a module, without type imports and dynamic imports. */
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

  // Each thread and process loads its own modules, and a schema library takes 15 MB of memory each time.
  test.each([
    'statuses/rules-thread-main',
    'imports/read/reading-main',
    'imports/read/workbook-main',
    'imports/guess/preview-main',
    'imports/guess/preview-workbook-main',
  ])('load no schemas in a worker: %s', (thread) => {
    const loaded = [...loadedBy(`packages/reconciliation/src/${thread}.ts`)];
    expect(loaded).toContain('packages/contract/dist/reconciliation/plain.js');
    expect(loaded.filter((file) => file.includes('/zod/'))).toEqual([]);
    expect([...loadedBy('packages/server/src/storefront/api.ts')].join()).toMatch(/\/zod\//);
  });

  test('load the preview of a ledger file only in its thread', () => {
    const loaded = [...loadedBy('packages/reconciliation/src/program.ts')];
    expect(loaded).toContain('packages/reconciliation/src/imports/guess/preview-thread.ts');
    expect(loaded).not.toContain('packages/reconciliation/src/imports/guess/preview.ts');
  });

  const files = globSync('packages/*/src/**/*.ts', { cwd: root });

  // If dependency-cruiser cannot load the TypeScript version, it ignores TypeScript files and
  // reports no violation.
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
    expect(seen('packages/contract/src/storefront/order.ts')).toContainEqual(
      expect.objectContaining({ resolved: 'packages/contract/src/money/money.ts' }),
    );
    expect(seen('packages/ticket/src/verify.ts')).toContainEqual(
      expect.objectContaining({ resolved: 'packages/contract/dist/storefront/index.js' }),
    );
    expect(seen('packages/key-fence/src/plugin.ts')).toContainEqual(
      expect.objectContaining({ resolved: 'packages/key-fence/src/bundle.ts' }),
    );
    expect(seen('packages/key-fence/src/plugin.ts')).toContainEqual(
      expect.objectContaining({ module: 'crypto', coreModule: true }),
    );
  });
});

test('docs/architecture.md shows the rooms of each package', () => {
  const path = join(root, 'docs/architecture.md');
  const document = readFileSync(path, 'utf8');
  const [before = '', , after = ''] = document.split(
    /(?<=<!-- rooms -->)([^]*)(?=<!-- end of rooms -->)/,
  );
  const planted = new Set(Object.values(plants).flatMap((files) => Object.keys(files)));
  const modules = result.modules.filter(({ source }) => !planted.has(source));
  const others = [
    'contract',
    'reconciliation',
    'reconciliation-rules',
    'console',
    'widget',
    'sandbox',
    'kit',
  ];
  const current = `${before}\n\n${roomsSection(modules, 'server', others)}\n\n${after}`;
  if (process.env.UPDATE_DOCS === '1') writeFileSync(path, current);
  else expect(document, 'UPDATE_DOCS=1 writes them').toBe(current);
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

  it('exists for every rule that keeps the companion out of reach', () => {
    expect(result.keyRules.length).toBeGreaterThan(4);
    expect(Object.keys(plants)).toEqual(expect.arrayContaining(result.keyRules));
  });
});

/** Module specifiers, each once. */
function names(specifiers: readonly string[]): string[] {
  return [...new Set(specifiers.map((specifier) => specifier.replace(/^node:/, '')))].toSorted();
}
