/* Files that run both programs: Dockerfile, compose files, chart and units. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Deployment, StatefulSet } from 'kubernetes-models/apps/v1';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { Service } from 'kubernetes-models/v1';
import { describe, expect, test } from 'vitest';
import {
  type ComposeService,
  interpolate,
  type Manifest,
  readComposition,
  readEnvFile,
  readValues,
  renderChart,
} from './deployment.ts';
import { root } from './tree.ts';

const read = (file: string) => readFileSync(join(root, file), 'utf8');

/** A program's variables by name, each with its default and whether it is a secret. */
type Table = Map<string, { fallback: string | undefined; isSecret: boolean }>;

/** Reads the table of variables in the README of a package, which is made of the program's own. */
function tableOf(name: string): Table {
  const rows = read(`packages/${name}/README.md`).matchAll(/^\| `([A-Z_]+)`( \\\*)? \| (.+?) \|/gm);
  return new Map(
    Array.from(rows, ([, variable = '', star, fallback = '']) => [
      variable,
      { fallback: /^`(.+)`$/.exec(fallback)?.[1], isSecret: star !== undefined },
    ]),
  );
}
const tables = { companion: tableOf('server'), reconciliation: tableOf('reconciliation') };
const programs = ['companion', 'reconciliation'] as const;
const defaultPort = (program: (typeof programs)[number], variable: string) =>
  Number(tables[program].get(variable)?.fallback);
const ports = {
  storefront: defaultPort('companion', 'COMPANION_PORT'),
  backOffice: defaultPort('companion', 'COMPANION_BACK_OFFICE_PORT'),
  reconciliation: defaultPort('reconciliation', 'RECONCILIATION_PORT'),
};

/** Returns the errors in variables that files set for a program. */
function wrongVariables(table: Table, env: readonly (readonly string[])[]): string[] {
  const names = new Set(env.map(([name = '']) => name));
  return env.flatMap(([name = '', value = '']) => {
    if (/^(MALLOC_\w+|NODE_ENV)$/.test(name)) return [];
    const known = table.get(name) ?? table.get(name.replace(/_FILE$/, ''));
    if (known === undefined) return [`${name} is no variable of the program`];
    if (names.has(`${name}_FILE`)) return [`${name} and ${name}_FILE are both set`];
    const isStore = name.endsWith('_STORE') && value.startsWith('sqlite:');
    if (known.isSecret && table.has(name) && !isStore) return [`${name} is a secret, not a file`];
    return [];
  });
}

test('control: unknown variables and secrets outside files are found', () => {
  expect(
    wrongVariables(tables.companion, [
      ['COMPANION_STROE', 'sqlite:a.db'],
      ['ORDER_TICKET_SECRET', 'x'],
      ['COMPANION_STORE', 'postgres://u:p@h/d'],
      ['COMPANION_WEBHOOK_SECRET', 'x'],
      ['COMPANION_WEBHOOK_SECRET_FILE', '/run/secrets/webhook'],
      ['COMPANION_PORT', '1'],
    ]),
  ).toEqual([
    'COMPANION_STROE is no variable of the program',
    'ORDER_TICKET_SECRET is a secret, not a file',
    'COMPANION_STORE is a secret, not a file',
    'COMPANION_WEBHOOK_SECRET and COMPANION_WEBHOOK_SECRET_FILE are both set',
  ]);
});

const dockerfile = read('deploy/Dockerfile').replaceAll('\\\n', '');
const stages = new Map(
  dockerfile
    .split(/^(?=FROM )/m)
    .slice(1)
    .map((stage) => [/ AS (\w+)/.exec(stage)?.[1] ?? '', stage]),
);

/** Returns the variables that an image sets; a file that runs it adds to them. */
const variablesOfImage = (name: string) =>
  Array.from(
    (stages.get(name) ?? '').matchAll(/^ENV (.*)$/gm),
    ([, variables = '']) => variables,
  ).flatMap((variables) =>
    variables
      .trim()
      .split(/\s+/)
      .map((one) => one.split('=')),
  );

describe('the Dockerfile', () => {
  const text = dockerfile;
  const runtime = stages.get('runtime') ?? '';

  test('takes its base image by a digest without a default', () => {
    const bases = Array.from(text.matchAll(/^FROM (\S+)/gm), ([, base = '']) => base);
    const external = bases.filter((base) => !stages.has(base));
    expect(new Set(external)).toEqual(new Set(['${NODE_IMAGE}@${NODE_DIGEST}']));
    expect(text).toMatch(/^ARG NODE_DIGEST$/m);
  });

  test('runs every target as a user by number, and writes to /data alone', () => {
    expect(text.match(/^USER .*$/gm)).toEqual(['USER 1000:1000']);
    expect(runtime).toContain('\nUSER 1000:1000\n');
    expect(runtime).toContain('\nVOLUME /data\n');
    expect(text).not.toMatch(/--chown|--chmod/);
  });

  test.each(programs)('has the target %s, on the runtime alone, with a health check', (name) => {
    const stage = stages.get(name) ?? '';
    expect(stage).toMatch(/^FROM runtime AS /);
    expect(stage).toContain('\nHEALTHCHECK ');
    expect(stage).not.toMatch(/^RUN /m);
    const copied = Array.from(stage.matchAll(/^COPY (.*)$/gm), ([, what]) => what);
    expect(copied).toEqual([`--from=build /${name} /${name}`]);
    expect(variablesOfImage(name)).not.toEqual([]);
    expect(wrongVariables(tables[name], variablesOfImage(name))).toEqual([]);
  });

  test('exposes and probes the default ports', () => {
    const exposed = (name: string) => /^EXPOSE (.*)$/m.exec(stages.get(name) ?? '')?.[1];
    expect(exposed('companion')).toBe(String(ports.storefront));
    expect(exposed('reconciliation')).toBe(String(ports.reconciliation));
    expect(stages.get('companion')).toContain(`|| ${ports.backOffice}}/readyz`);
    expect(stages.get('reconciliation')).toContain(`|| ${ports.reconciliation}}/readyz`);
  });
});

/** Returns the rules that a service of a compose file breaks. */
function brokenRules(service: ComposeService): string[] {
  const { image, user, build, environment = {} } = service;
  const rules = {
    'is not read-only': service.read_only === true,
    'keeps capabilities': service.cap_drop?.includes('ALL') === true,
    'is privileged': service.privileged !== true,
    'gains privileges': service.security_opt?.includes('no-new-privileges:true') === true,
    'runs as root': /^[1-9]\d*:[1-9]\d*$/.test(user ?? ''),
    'has no limits':
      service.mem_limit !== undefined &&
      service.cpus !== undefined &&
      service.pids_limit !== undefined,
    'has an image without a digest': build
      ? build.args.NODE_DIGEST?.startsWith('${NODE_DIGEST:?') === true
      : /@\$\{\w+_DIGEST:\?/.test(image),
    'has a secret as a variable': Object.entries(environment).every(
      ([name, value]) =>
        !/PASSWORD|SECRET|TOKEN|PRIVATE|_KEY/.test(name) ||
        /^\/(run\/secrets|sandbox)\//.test(value),
    ),
  };
  return Object.entries(rules).flatMap(([rule, holds]) => (holds ? [] : [rule]));
}

test('control: a service that breaks every rule is found', () => {
  const service = { image: 'postgres:18', privileged: true, environment: { PG_PASSWORD: 'x' } };
  expect(brokenRules(service)).toHaveLength(8);
});

describe('the compose files', () => {
  const main = readComposition('compose.yaml');
  const sandbox = readComposition('compose.sandbox.yaml');
  const signIn = readComposition('compose.sign-in.yaml');

  test('have PostgreSQL 18, both programs, a proxy, and the sandbox apart', () => {
    expect(Object.keys(main.services).sort()).toEqual([
      ...['companion', 'postgres', 'proxy', 'reconciliation'],
    ]);
    expect(main.services.postgres?.image).toMatch(/^postgres:18@/);
    expect(sandbox.services).toHaveProperty('sandbox');
  });

  test.each(Object.entries({ ...main.services, sandbox: sandbox.services.sandbox }))(
    '%s keeps every rule',
    (_, service) => {
      expect(service && brokenRules(service)).toEqual([]);
    },
  );

  test.each(programs)(
    '%s has variables that the program knows, beside those of its image',
    (name) => {
      for (const { services } of [main, sandbox, signIn]) {
        const env = Object.entries(services[name]?.environment ?? {});
        expect(wrongVariables(tables[name], [...variablesOfImage(name), ...env])).toEqual([]);
      }
    },
  );

  test.each(programs)('%s has exactly the secrets that it reads', (name) => {
    for (const { services } of [main, signIn]) {
      const { environment = {}, secrets = [] } = services[name] ?? {};
      const files = Object.values(environment).flatMap(
        (value) => /^\/run\/secrets\/(.+)$/.exec(value)?.[1] ?? [],
      );
      expect(files.sort()).toEqual(secrets.toSorted());
    }
  });

  test('take every secret from a file that secrets.sh makes', () => {
    const made = read('deploy/secrets.sh');
    for (const [name, { file }] of Object.entries({ ...main.secrets, ...signIn.secrets })) {
      expect(file).toBe(`./secrets/${name}`);
      expect(made).toMatch(new RegExp(`^(keep ${name} |\\[ -e ${name} \\])`, 'm'));
    }
  });

  test('publish ports of the proxy alone, and keep database and back office inside', () => {
    const published = Object.entries(main.services).flatMap(([name, { ports: open }]) =>
      open === undefined ? [] : [name],
    );
    expect(published).toEqual(['proxy']);
    expect(main.services.postgres?.networks).toEqual(['inside']);
    expect(main.services.reconciliation?.networks).not.toContain('outside');
    expect(main.networks).toMatchObject({
      inside: { internal: true },
      proxied: { internal: true },
    });
    expect(main.services.reconciliation?.environment?.RECONCILIATION_COMPANION_URL).toBe(
      `http://companion:${ports.backOffice}`,
    );
  });

  test('have a proxy whose log has no secret of a checkout', () => {
    const log = /\n\tlog \{([^]*?)\n\t\}/.exec(read('deploy/Caddyfile'))?.[1];
    expect(log).toContain('request>headers>Financing-Checkout-Secret delete');
    expect(log).toContain('request>headers>Idempotency-Key delete');
  });

  test('have a proxy that leads to the default ports, and never to the back office', () => {
    const targets = Array.from(
      read('deploy/Caddyfile').matchAll(/reverse_proxy (\S+)/g),
      ([, to]) => to,
    );
    expect(targets).toEqual([
      `companion:${ports.storefront}`,
      `reconciliation:${ports.reconciliation}`,
    ]);
  });

  test('name in .env.example every variable that they require', () => {
    const given = readEnvFile('deploy/.env.example');
    const files = ['compose.yaml', 'compose.sandbox.yaml', 'compose.sign-in.yaml'];
    const text = files.map((file) => read(`deploy/${file}`)).join('');
    expect(() => interpolate(text, {})).toThrow('is missing in deploy/.env');
    const digests = { NODE_DIGEST: 'x', POSTGRES_DIGEST: 'x', CADDY_DIGEST: 'x' };
    expect(() => interpolate(text, { ...given, ...digests })).not.toThrow();
  });
});

interface Pod {
  containers: {
    name: string;
    image: string;
    securityContext: Record<string, unknown>;
    env: { name: string; value: string }[];
    ports: { name: string; containerPort: number }[];
    resources: { limits: Record<string, string> };
  }[];
  securityContext: Record<string, unknown>;
  enableServiceLinks: boolean;
  automountServiceAccountToken: boolean;
}

describe('the chart', () => {
  const manifests = renderChart(readValues());
  const podOf = (name: string) => {
    const found = manifests.find(
      ({ kind, metadata }) =>
        /^(Deployment|StatefulSet)$/.test(kind) && metadata.name === `shop-${name}`,
    );
    if (!found) throw new Error(`The chart does not run ${name}.`);
    return (found.spec as { template: { spec: Pod } }).template.spec;
  };
  const models = { Deployment, StatefulSet, NetworkPolicy, PodDisruptionBudget, Service };
  const check = ({ apiVersion, kind, ...content }: Manifest) => {
    const Model = models[kind as keyof typeof models];
    expect(Model.apiVersion).toBe(apiVersion);
    new Model(content as never).validate();
  };

  test.each(manifests)('$kind $metadata.name has the schema of Kubernetes', (manifest) => {
    expect(() => check(manifest)).not.toThrow();
  });

  test('control: the schema refuses a wrong manifest', () => {
    const wrong = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'a' },
      spec: { ports: 'all' },
    };
    expect(() => check(wrong)).toThrow();
  });

  test('is not rendered without the digests of its images', () => {
    const values = readValues();
    values.companion = { ...values.companion, digest: '' };
    expect(() => renderChart(values)).toThrow('companion.digest is missing');
  });

  test.each(programs)('runs %s hardened, with variables that it knows', (name) => {
    const pod = podOf(name);
    expect(pod).toMatchObject({ enableServiceLinks: false, automountServiceAccountToken: false });
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
    expect(pod.containers).toHaveLength(1);
    const [container] = pod.containers;
    expect(container?.image).toMatch(/@sha256:[0-9a-f]{64}$/);
    expect(container?.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(container?.resources.limits).toHaveProperty('memory');
    const env = container?.env.map(({ name: key, value }) => [key, value]) ?? [];
    expect(wrongVariables(tables[name], [...variablesOfImage(name), ...env])).toEqual([]);
    const open = container?.ports.map(({ containerPort }) => containerPort);
    expect(open).toEqual(
      name === 'companion' ? [ports.storefront, ports.backOffice] : [ports.reconciliation],
    );
  });
});

test('settings that are commented out are known, with secrets in files', () => {
  const text = ['helm/financing-checkout/values.yaml', 'systemd/financing-reconciliation.service']
    .map((file) => read(`deploy/${file}`))
    .join('\n');
  const commented = Array.from(
    text.matchAll(/^ *# *(?:Environment=)?(RECONCILIATION_[A-Z_]+)(?:: |=)(.*)$/gm),
    ([, key = '', value = '']) => [key, value],
  );
  expect(commented).toHaveLength(7);
  expect(wrongVariables(tables.reconciliation, commented)).toEqual([]);
});

test('compose file, chart and unit have a file for the private key of a rotation', () => {
  for (const file of [
    'compose.yaml',
    'helm/financing-checkout/templates/companion.yaml',
    'systemd/financing-companion.service',
  ]) {
    const text = read(`deploy/${file}`);
    const paths = Array.from(
      text.matchAll(/FINANCING_PRIVATE_API_KEY(?:_NEXT)?_FILE(?:=|:|\n *value:) *(\S+)/g),
      ([, path]) => path,
    );
    expect(paths, file).toEqual([paths[0], `${paths[0]}-next`]);
  }
});

describe('the units', () => {
  const hardening =
    'NoNewPrivileges=yes CapabilityBoundingSet= ProtectSystem=strict ProtectHome=yes PrivateDevices=yes StateDirectoryMode=0700 RestartPreventExitStatus=78'.split(
      ' ',
    );
  const units = globSync('deploy/systemd/*.service', { cwd: root });

  test('are one for each program', () => {
    expect(units).toHaveLength(2);
  });

  test.each(programs)('of %s runs without rights, with variables that it knows', (name) => {
    const unit = read(`deploy/systemd/financing-${name}.service`);
    expect(unit.split('\n')).toEqual(expect.arrayContaining(hardening));
    expect(unit).toMatch(/^User=(?!root)\S+$/m);
    const env = Array.from(
      unit.matchAll(/^Environment=([A-Z_]+)=(.*)$/gm),
      ([, key = '', value = '']) => [key, value],
    );
    expect(env.length).toBeGreaterThan(5);
    expect(wrongVariables(tables[name], env)).toEqual([]);
    const files = Array.from(
      unit.matchAll(/^Environment=\w+_FILE=%d\/([\w-]+)$/gm),
      ([, file]) => file,
    );
    const given = Array.from(unit.matchAll(/^LoadCredential=([\w-]+):/gm), ([, file]) => file);
    expect(files).toEqual(given);
  });
});
