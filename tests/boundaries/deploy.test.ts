/* Files that run both programs: Dockerfile, compose files, chart and units. */
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { BlockList, isIPv6 } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Deployment, StatefulSet } from 'kubernetes-models/apps/v1';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { Service } from 'kubernetes-models/v1';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createClientAddress, readProxies } from '../../packages/kit/dist/index.js';
import { readConfiguration } from '../../packages/reconciliation/dist/index.js';
import {
  type ComposeService,
  interpolate,
  type Manifest,
  readComposition,
  readCompositionText,
  readEnvFile,
  readValues,
  renderChart,
} from './deployment.ts';
import { blocksOf } from './blocks.ts';
import { root } from './tree.ts';

const read = (file: string) => readFileSync(join(root, file), 'utf8');

const valuesText = read('deploy/helm/financing-checkout/values.yaml');

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
    'dumps its memory': service.ulimits?.core === 0,
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
  expect(brokenRules(service)).toHaveLength(9);
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

  test('publish each address of the proxy, and those to which it leads from plain HTTP', () => {
    const caddyfile = read('deploy/Caddyfile');
    const httpPort = /^\thttp_port (\d+)$/m.exec(caddyfile)?.[1] ?? '80';
    const httpsPort = /^\thttps_port (\d+)$/m.exec(caddyfile)?.[1] ?? '443';
    const sites = Array.from(
      caddyfile.matchAll(/^\{\$(\w+)\}(?::(\d+))? \{$/gm),
      ([, host = '', port = httpsPort]) => {
        // A redirect of Caddy names no port for that of HTTPS, and for any other site its own one.
        return { host, port, redirectsTo: port === httpsPort ? '443' : port };
      },
    );
    expect(sites.map(({ host }) => host)).toEqual(['STOREFRONT_HOST', 'CONSOLE_HOST']);
    const published = main.services.proxy?.ports?.map((one) => one.replace(/^\$\{.*?\}:/, ''));
    expect(published).toEqual([
      `80:${httpPort}`,
      ...sites.map(({ port, redirectsTo }) => `${redirectsTo}:${port}`),
    ]);
    const console = main.services.reconciliation?.environment?.RECONCILIATION_URL ?? '';
    expect(console.split(':').at(-1)).toBe(sites[1]?.redirectsTo);
  });

  test('name in .env.example every variable that they require', () => {
    const given = readEnvFile('deploy/.env.example');
    const files = ['compose.yaml', 'compose.sandbox.yaml', 'compose.sign-in.yaml'];
    const text = files.map((file) => read(`deploy/${file}`)).join('');
    expect(() => interpolate(text, {})).toThrow('is missing in deploy/.env');
    const digests = { NODE_DIGEST: 'x', POSTGRES_DIGEST: 'x', CADDY_DIGEST: 'x' };
    const provider = { OIDC_ISSUER: 'https://login.example' };
    expect(() => interpolate(text, { ...given, ...digests, ...provider })).not.toThrow();
  });
});

/** A peer of a network policy. A selector of pods without one of namespaces is of the own namespace. */
interface Peer {
  ipBlock?: { cidr: string; except?: string[] };
  namespaceSelector?: { matchLabels: Record<string, string> };
  podSelector?: { matchLabels: Record<string, string> };
}
interface Policy {
  podSelector: {
    matchLabels: Record<string, string>;
    matchExpressions?: { key: string; values: string[] }[];
  };
  policyTypes: string[];
  egress?: { to: Peer[]; ports: { protocol: string; port: number }[] }[] | null;
}
/** Where a connection leads: an address, a namespace, or a program of this release. */
type Destination = { address: string } | { namespace: string } | { program: string };

function isPeer({ ipBlock, namespaceSelector, podSelector }: Peer, to: Destination): boolean {
  if ('address' in to) {
    if (ipBlock === undefined) return false;
    const listOf = (ranges: readonly string[]) => {
      const list = new BlockList();
      for (const range of ranges) {
        const [network = '', bits] = range.split('/');
        list.addSubnet(network, Number(bits), isIPv6(network) ? 'ipv6' : 'ipv4');
      }
      return list;
    };
    const family = isIPv6(to.address) ? 'ipv6' : 'ipv4';
    return (
      listOf([ipBlock.cidr]).check(to.address, family) &&
      !listOf(ipBlock.except ?? []).check(to.address, family)
    );
  }
  if ('namespace' in to) {
    return namespaceSelector?.matchLabels['kubernetes.io/metadata.name'] === to.namespace;
  }
  return podSelector?.matchLabels['app.kubernetes.io/name'] === to.program;
}

/** Returns whether the network policies allow a connection of a program, as Kubernetes decides. */
function mayConnect(
  manifests: readonly Manifest[],
  program: string,
  to: Destination,
  port: number,
  protocol = 'TCP',
): boolean {
  const policies = manifests
    .filter(({ kind }) => kind === 'NetworkPolicy')
    .map(({ spec }) => spec as Policy)
    .filter(({ policyTypes, podSelector: { matchLabels, matchExpressions = [] } }) => {
      const name = matchLabels['app.kubernetes.io/name'] ?? program;
      const isNamed = matchExpressions.every(({ values }) => values.includes(program));
      return policyTypes.includes('Egress') && name === program && isNamed;
    });
  // A pod that no policy of egress selects may connect to everything.
  if (policies.length === 0) return true;
  return policies.some(({ egress }) =>
    egress?.some(
      ({ to: peers, ports: open }) =>
        peers.some((peer) => isPeer(peer, to)) &&
        open.some((one) => one.port === port && one.protocol === protocol),
    ),
  );
}

describe('the script that creates the databases', () => {
  /** Runs the script with a `psql` that records its arguments, environment and input. */
  function runScript() {
    const folder = mkdtempSync(join(tmpdir(), 'databases-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    mkdirSync(join(folder, 'secrets'));
    for (const name of ['companion', 'reconciliation']) {
      const url = `postgres://${name}:pass-of-${name}@postgres:5432/${name}?sslmode=disable`;
      writeFileSync(join(folder, 'secrets', `${name}-store`), `${url}\n`);
    }
    const psql = `#!/bin/sh\nprintf '%s\\n' "$@" >>${folder}/arguments\nenv >>${folder}/environment\ncat >>${folder}/input\n`;
    writeFileSync(join(folder, 'psql'), psql, { mode: 0o755 });
    const script = read('deploy/postgres/databases.sh').replaceAll('/run/', `${folder}/`);
    execFileSync('sh', ['-c', script], { env: { PATH: `${folder}:${process.env.PATH}` } });
    const recorded = (name: string) => readFileSync(join(folder, name), 'utf8');
    return {
      arguments: recorded('arguments'),
      environment: recorded('environment'),
      input: recorded('input'),
    };
  }

  test('states no password in arguments, which every user of the machine reads', () => {
    const psql = runScript();
    expect(psql.arguments).not.toContain('pass-of-');
    expect(psql.arguments.match(/user=.*/g)).toEqual(['user=companion', 'user=reconciliation']);
    expect(psql.environment.match(/pass-of-\w+/g)).toEqual([
      'pass-of-companion',
      'pass-of-reconciliation',
    ]);
    expect(psql.input).not.toContain('pass-of-');
  });

  test('keeps a statement with a password that fails out of the log of the server', () => {
    const [first = ''] = /^set .*$|^create role/m.exec(runScript().input) ?? [];
    expect(first).toBe('set log_min_error_statement = panic;');
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
  const podOf = (name: string, among = manifests) => {
    const found = among.find(
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

  test('gives programs the numbers, switches and texts of its values as they are written', () => {
    const values = readValues(
      valuesText
        .replace("RECONCILIATION_SYNC_MINUTES: '60'", 'RECONCILIATION_SYNC_MINUTES: 60')
        .replace(
          'FINANCING_ENVIRONMENT: production',
          '$&\n    FINANCING_QUEUE: 2592000\n    COMPANION_RATE_LIMIT_TOTAL: 0.5\n    ORDER_TICKET_ENV_OPTIONAL: true',
        ),
    );
    const rendered = renderChart(values);
    for (const manifest of rendered) expect(() => check(manifest)).not.toThrow();
    const env = programs.flatMap((name) => podOf(name, rendered).containers[0]?.env ?? []);
    expect(env).toEqual(
      expect.arrayContaining([
        { name: 'FINANCING_ENVIRONMENT', value: 'production' },
        { name: 'FINANCING_QUEUE', value: '2592000' },
        { name: 'COMPANION_RATE_LIMIT_TOTAL', value: '0.5' },
        { name: 'ORDER_TICKET_ENV_OPTIONAL', value: 'true' },
        { name: 'RECONCILIATION_SYNC_MINUTES', value: '60' },
      ]),
    );
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

  test.each([
    ['a node that translates addresses', '203.0.113.9, 10.0.0.5'],
    ['another pod that names itself a proxy', '203.0.113.9, 10.244.1.7'],
  ])('lets no client state an address of its own behind %s', (_, forwarded) => {
    for (const name of programs) {
      const variable = `${name.toUpperCase()}_TRUSTED_PROXIES`;
      const env = podOf(name).containers[0]?.env.find((one) => one.name === variable);
      const listed = readProxies(env?.value ?? '');
      const clientAddress = createClientAddress({
        trustedProxies: listed ?? [],
        forwardedHeader: 'x-forwarded-for',
        logger: { log: () => undefined },
      });
      const headers = { 'x-forwarded-for': forwarded };
      const incoming = { socket: { remoteAddress: '10.244.0.3' } };
      const found = clientAddress(new Request('http://a.example', { headers }), { incoming });
      expect([variable, listed, found]).toEqual([variable, [], '10.244.0.3']);
    }
  });

  test.each<[string, Destination, number, string?]>([
    ['the metadata of a cloud', { address: '169.254.169.254' }, 80],
    ['the metadata of a cloud by HTTPS', { address: '169.254.169.254' }, 443],
    ['the metadata of another cloud', { address: '100.100.100.200' }, 443],
    ['the metadata of a cloud by IPv6', { address: 'fd00:ec2::254' }, 443],
    ['the API of Kubernetes', { address: '10.96.0.1' }, 443],
    ['a machine of the private network', { address: '192.168.1.20' }, 443],
    ['a machine of the private network, written as IPv6', { address: '::ffff:10.0.0.9' }, 443],
    ['another machine beside the database', { address: '10.3.0.8' }, 5432],
    ['another port of the database', { address: '10.3.0.7' }, 22],
    ['plain HTTP on the internet', { address: '198.51.100.7' }, 80],
    ['a resolver on the internet', { address: '198.51.100.7' }, 53, 'UDP'],
    ['pods of another namespace', { namespace: 'default' }, 443],
    ['the storefront of the companion', { program: 'companion' }, 4000],
    ['reconciliation', { program: 'reconciliation' }, 4002],
  ])('lets no program connect to %s', (_, to, port, protocol) => {
    for (const name of programs)
      expect(mayConnect(manifests, name, to, port, protocol)).toBe(false);
  });

  test('lets programs connect to what they need, and to what the values add', () => {
    const needed: [string, Destination, number, string?][] = [
      ...programs.flatMap((name): [string, Destination, number, string?][] => [
        [name, { address: '10.3.0.7' }, 5432],
        [name, { namespace: 'kube-system' }, 53, 'UDP'],
        [name, { namespace: 'kube-system' }, 53],
        [name, { address: '198.51.100.7' }, 443],
        [name, { address: '2001:db8::7' }, 443],
      ]),
      ['reconciliation', { program: 'companion' }, ports.backOffice],
    ];
    for (const [name, to, port, protocol] of needed) {
      expect([name, to, mayConnect(manifests, name, to, port, protocol)]).toEqual([name, to, true]);
    }
    expect(mayConnect(manifests, 'companion', { program: 'companion' }, ports.backOffice)).toBe(
      false,
    );

    const values = readValues();
    const proxy = {
      to: [{ ipBlock: { cidr: '10.9.0.1/32' } }],
      ports: [{ protocol: 'TCP', port: 3128 }],
    };
    values.companion = { ...values.companion, egress: [proxy] };
    const added = renderChart(values);
    for (const manifest of added) expect(() => check(manifest)).not.toThrow();
    expect(mayConnect(added, 'companion', { address: '10.9.0.1' }, 3128)).toBe(true);
    expect(mayConnect(added, 'reconciliation', { address: '10.9.0.1' }, 3128)).toBe(false);
  });

  test('gets Secrets by the commands of docs/production.md: each program its own files of secrets.sh', () => {
    const { place } = makeSecrets('');
    const [block = ''] = blocksOf('docs/production.md', 'sh').filter((code) =>
      code.includes('kubectl create secret'),
    );
    const commands = block.replaceAll('\\\n', '').match(/kubectl create secret generic .*/g) ?? [];
    const given = commands.map((command) => {
      const [, secret = ''] = /generic (\S+)/.exec(command) ?? [];
      const files = Array.from(
        command.matchAll(/--from-file=(?:([\w-]+)=)?([\w-]+)/g),
        ([, key, file = '']) => ({ key: key ?? file, file }),
      );
      return { secret, keys: files.map(({ key }) => key), files: files.map(({ file }) => file) };
    });
    const mounted = programs.map((name) => ({
      secret: `financing-${name}`,
      keys: podOf(name).containers[0]?.env.flatMap(
        ({ value }) => /^\/run\/secrets\/financing\/(.+)$/.exec(value)?.[1] ?? [],
      ),
    }));
    expect(given.map(({ secret, keys }) => ({ secret, keys: keys.sort() }))).toEqual(
      mounted.map(({ secret, keys }) => ({ secret, keys: keys?.sort() })),
    );
    const files = given.flatMap((one) => one.files);
    expect(files.filter((file) => !existsSync(place(file)))).toEqual([]);
    expect(new Set(files).size).toBe(files.length);
  });

  test('is not rendered without the database that it may connect to', () => {
    const values = readValues();
    values.egress = { ...values.egress, database: [] };
    expect(() => renderChart(values)).toThrow('egress.database is missing');
  });
});

const ISSUER = 'https://login.example';

/** Runs secrets.sh for a new installation. @returns what it prints, and the lines of a file that it made */
function makeSecrets(issuer: string) {
  const home = mkdtempSync(join(tmpdir(), 'deploy-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const folder = join(home, 'deploy');
  mkdirSync(folder);
  copyFileSync(join(root, 'deploy/secrets.sh'), join(folder, 'secrets.sh'));
  const env = read('deploy/.env.example').replace(/^OIDC_ISSUER=$/m, `OIDC_ISSUER=${issuer}`);
  writeFileSync(join(folder, '.env'), env);
  const run = () =>
    execFileSync('sh', [join(folder, 'secrets.sh')], { encoding: 'utf8', stdio: 'pipe' });
  const place = (name: string) => join(folder, 'secrets', name);
  return {
    home,
    printed: run(),
    run,
    place,
    content: (name: string) => readFileSync(place(name), 'utf8'),
  };
}

/** Returns name and scopes of each token of a file. */
const scopesIn = (text: string) =>
  Object.fromEntries(
    text
      .trim()
      .split('\n')
      .map((line) => line.split(' ').slice(0, 2) as [string, string]),
  );

const unitText = read('deploy/systemd/financing-reconciliation.service');
const variablesOfUnit = (text: string) =>
  Array.from(text.matchAll(/^Environment=([A-Z_]+)=(.*)$/gm), ([, key = '', value = '']) => [
    key,
    value.replaceAll('%d/', '/run/secrets/').replaceAll('%S', '/var/lib'),
  ]);
const variablesOfChart = (text: string) => {
  const pods = renderChart(readValues(text)).flatMap(({ kind, metadata, spec }) =>
    kind === 'StatefulSet' && metadata.name === 'shop-reconciliation'
      ? [(spec as { template: { spec: Pod } }).template.spec]
      : [],
  );
  return (
    pods[0]?.containers[0]?.env.map(({ name, value }) => [
      name,
      value.replace('/run/secrets/financing/', '/run/secrets/'),
    ]) ?? []
  );
};
const given: Record<string, string> = {
  ...readEnvFile('deploy/.env.example'),
  OIDC_ISSUER: ISSUER,
};
const variablesOfCompose = (...files: string[]) =>
  files.flatMap((file) =>
    Object.entries(readComposition(file).services.reconciliation?.environment ?? {}).map(
      ([name, value]) => [name, interpolate(value, given)],
    ),
  );
/** The settings of the unit for the sign-in, of which the file names the secret alone. */
const signInOfUnit = [
  ['RECONCILIATION_OIDC_ISSUER', ISSUER],
  ['RECONCILIATION_OIDC_CLIENT_ID', 'reconciliation'],
  ['RECONCILIATION_OIDC_ROLES', given.OIDC_ROLES ?? ''],
];

/** Each way to run reconciliation that the files ship, with and without a sign-in of people. */
const shipped: [name: string, issuer: string, variables: string[][]][] = [
  ['compose.yaml', '', variablesOfCompose('compose.yaml')],
  [
    'compose.yaml and compose.sandbox.yaml',
    '',
    variablesOfCompose('compose.yaml', 'compose.sandbox.yaml'),
  ],
  [
    'compose.yaml and compose.sign-in.yaml',
    ISSUER,
    variablesOfCompose('compose.yaml', 'compose.sign-in.yaml'),
  ],
  ['the chart', '', variablesOfChart(valuesText)],
  [
    'the chart with its sign-in',
    ISSUER,
    variablesOfChart(valuesText.replaceAll(/^ {4}# (RECONCILIATION_)/gm, '    $1')),
  ],
  ['the unit', '', variablesOfUnit(unitText)],
  [
    'the unit with its sign-in',
    ISSUER,
    [...variablesOfUnit(unitText.replaceAll(/^#Environment/gm, 'Environment')), ...signInOfUnit],
  ],
];

describe('two persons', () => {
  /** Returns the configuration with which a way of running starts, with the secrets of secrets.sh. */
  function start(variables: string[][], secrets: ReturnType<typeof makeSecrets>) {
    const files: Record<string, string> = {
      tokens: secrets.content('reconciliation-tokens'),
      store: secrets.content('reconciliation-store'),
      'oidc-client-secret': 'the secret of the client',
    };
    return readConfiguration(Object.fromEntries(variables) as Record<string, string>, (path) => {
      const name = path.replace('/run/secrets/', '');
      return files[name] ?? secrets.content(name);
    });
  }

  test.each(shipped)('have to close the books with %s as it is', (_, issuer, variables) => {
    const { signIn, tokens, companion } = start(variables, makeSecrets(issuer));
    expect(signIn?.issuer ?? '').toBe(issuer);
    // Two tokens, each of a person, or people alone: the program counts both as two.
    const closing = tokens.filter(({ scopes }) => scopes.includes('periods'));
    expect(closing.map(({ name }) => name)).toEqual(issuer === '' ? ['finance', 'controller'] : []);
    expect(tokens.flatMap(({ scopes }) => scopes)).not.toContain('money');
    expect(companion.moneyToken).toBeUndefined();
  });

  test.each(shipped.filter(([, issuer]) => issuer !== ''))(
    'have to close the books with %s: it does not start with tokens of before',
    (_, issuer, variables) => {
      const secrets = makeSecrets('');
      expect(() => start(variables, secrets)).toThrow(
        /RECONCILIATION_TOKENS token 1 has the scope periods.*\n.*token 2 has the scope periods/,
      );
      writeFileSync(secrets.place('../.env'), `OIDC_ISSUER=${issuer}\n`);
      expect(secrets.run).toThrow('gives the scope periods or money to: finance controller');
    },
  );

  test('hold the tokens that secrets.sh makes and names, with the scopes of docs/production.md', () => {
    const rows = read('docs/production.md').matchAll(
      /^\| `(finance|controller)` +\| [^|]+ \| `?([a-z,]+)`? +\| `?([a-z,]+)`? +\|$/gm,
    );
    const [alone, signedIn] = [makeSecrets(''), makeSecrets(ISSUER)];
    const documented = Array.from(rows, ([, name = '', ...scopes]) => [name, scopes] as const);
    expect(documented.map(([name]) => name)).toEqual(['finance', 'controller']);
    const stated = (index: number) =>
      Object.fromEntries(
        documented.flatMap(([name, scopes]) =>
          scopes[index] === 'none' ? [] : [[name, scopes[index]]],
        ),
      );
    expect(scopesIn(alone.content('reconciliation-tokens'))).toEqual(stated(0));
    expect(scopesIn(signedIn.content('reconciliation-tokens'))).toEqual(stated(1));
    expect(scopesIn(alone.content('companion-tokens'))).toEqual({ reconciliation: 'fundings' });
    expect(alone.printed).toMatch(
      /finance-token to the person who prepares it, and .*controller-token/,
    );
    expect(signedIn.printed).toContain('It closes no period');
  });

  test('are not made of a token that was handed over: secrets.sh makes no other one', () => {
    const { content, place, run } = makeSecrets('');
    const before = content('reconciliation-tokens');
    rmSync(place('controller-token'));
    run();
    expect(content('reconciliation-tokens')).toBe(before);
    expect(() => content('controller-token')).toThrow('ENOENT');
  });

  test('may not refund until the steps of docs/production.md are done, which secrets.sh names', () => {
    const secrets = makeSecrets('');
    const missing = 'Nobody may settle, refund or void in the console: docs/production.md';
    expect(secrets.printed).toContain(missing);
    const compose = variablesOfCompose('compose.yaml');
    expect(start(compose, secrets).companion.moneyToken).toBeUndefined();

    const section = /^## Refunds in the console\n[^]*?(?=^## )/m.exec(
      read('docs/production.md'),
    )?.[0];
    const [commands = '', override = ''] = Array.from(
      (section ?? '').matchAll(/^```\w+\n([^]*?)^```$/gm),
      ([, code]) => code,
    );
    execFileSync('sh', ['-euc', commands], { cwd: secrets.home });
    const added = readCompositionText(override);
    const { environment = {}, secrets: mounted = [] } = added.services.reconciliation ?? {};
    expect(Object.values(environment)).toEqual(mounted.map((name) => `/run/secrets/${name}`));
    expect(Object.values(added.secrets ?? {})).toEqual(
      mounted.map((name) => ({ file: `./secrets/${name}` })),
    );
    const { companion, tokens } = start([...compose, ...Object.entries(environment)], secrets);
    expect(scopesIn(secrets.content('companion-tokens'))).toEqual({
      reconciliation: 'fundings',
      console: 'money,webhooks',
    });
    expect(secrets.content('companion-tokens')).toContain(` ${companion.moneyToken?.reveal()}\n`);
    const moving = tokens.filter(({ scopes }) => scopes.includes('money'));
    expect(moving.map(({ name }) => name)).toEqual(['finance']);
    expect(secrets.run()).not.toContain(missing);
  });

  test('are named where one token closes alone', () => {
    const { place, run } = makeSecrets('');
    writeFileSync(place('reconciliation-tokens'), 'finance cases,periods finance-token-0001\n');
    expect(run()).toContain('The owner of the token finance closes the books alone');
  });

  test('sign in with the roles of the README', () => {
    const readme = read('packages/reconciliation/README.md');
    const roles = /RECONCILIATION_OIDC_ROLES='(.+)'/.exec(readme)?.[1];
    expect(given.OIDC_ROLES).toBe(roles);
    expect(/# RECONCILIATION_OIDC_ROLES: (.+)/.exec(valuesText)?.[1]).toBe(roles);
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
    'LimitCORE=0 NoNewPrivileges=yes CapabilityBoundingSet= ProtectSystem=strict ProtectHome=yes PrivateDevices=yes StateDirectoryMode=0700 RestartPreventExitStatus=78'.split(
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

  /**
   * Runs financing-command with a `systemctl` that prints the shipped unit and a drop-in, and a `systemd-run` that records its
   * arguments.
   */
  function runCommand(words: string[], dropIn = '', installed = 'deploy/systemd') {
    const folder = mkdtempSync(join(tmpdir(), 'units-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const bin = (name: string, script: string) =>
      writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    writeFileSync(join(folder, 'drop-in'), dropIn);
    bin('systemctl', `cat "${join(root, installed)}/$2" && cat ${folder}/drop-in`);
    bin('systemd-run', `printf '%s\\0' "$@" >${folder}/arguments`);
    execFileSync('sh', [join(root, 'deploy/systemd/financing-command'), ...words], {
      env: { PATH: `${folder}:${process.env.PATH}` },
      stdio: 'pipe',
    });
    const given = readFileSync(join(folder, 'arguments'), 'utf8').split('\0').slice(0, -1);
    const valuesOf = (option: string) =>
      given.flatMap((one) => (one.startsWith(option) ? [one.slice(option.length)] : []));
    return {
      name: valuesOf('--unit=')[0] ?? '',
      properties: valuesOf('--property='),
      command: given.slice(given.findIndex((one) => !one.startsWith('-'))),
    };
  }

  test.each(programs)(
    'have a command that runs the program %s with the assignments of its unit',
    (program) => {
      const unit = read(`deploy/systemd/financing-${program}.service`);
      const [service = ''] = /(?<=^\[Service\]\n)[^]*(?=^\[Install\])/m.exec(unit) ?? [];
      const { command, name, properties } = runCommand([program, 'explain', 'order A-1', '--json']);
      const [, started = ''] = /^ExecStart=(.*) serve$/m.exec(service) ?? [];
      expect(command).toEqual([...started.split(' '), 'explain', 'order A-1', '--json']);
      const assignments = service
        .split('\n')
        .filter((line) => /^(?!ExecStart|Restart|TimeoutStop)[A-Z]\w+=/.test(line));
      expect(assignments.length).toBeGreaterThan(30);
      expect(properties).toEqual(
        assignments.map((line) =>
          line
            .replaceAll('%d', `/run/credentials/${name}.service`)
            .replaceAll('%S', '/var/lib')
            .replaceAll('%%', '%'),
        ),
      );
    },
  );

  test('have a command that follows drop-ins, and states a percent sign as it is', () => {
    const dropIn = '[Unit]\nAfter=vpn.service\n[Service]\nEnvironment=COMPANION_STORE= A=50%%d\n';
    const { properties } = runCommand(['companion', 'doctor'], dropIn);
    expect(properties.at(-1)).toBe('Environment=COMPANION_STORE= A=50%d');
  });

  test('have a command that runs nothing without its unit', () => {
    expect(() => runCommand(['companion', 'doctor'], '', 'deploy')).toThrow(
      'financing-companion.service is not installed',
    );
  });

  test.each([[[]], [['companion']], [['postgres', 'doctor']]])(
    'have a command that prints its usage for the words %j',
    (words) => {
      expect(() => runCommand(words)).toThrow('Usage: financing-command companion|reconciliation');
    },
  );
});
