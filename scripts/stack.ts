import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import getPort, { portNumbers } from 'get-port';
import { awaitsPurchases, isUnused, keepPolicy, seedMonth } from './history/sandbox.ts';
import { root } from './paths.ts';
import { stackPorts } from './ports.ts';
import { startProgram, untilReady, type Program } from './processes.ts';
import { keepSecrets, type OwnSecrets } from './secrets.ts';

/** Addresses and processes of a running stack. */
export interface Stack {
  readonly dataDir: string;
  readonly shop: string;
  readonly companion: string;
  readonly backOffice: string;
  readonly reconciliation: string;
  readonly sandboxApi: string;
  readonly hosted: string;
  readonly control: string;
  /** Contents of the files in `<dataDir>/secrets`, and the sandbox's key pair. */
  readonly secrets: OwnSecrets & { publicKey: string; privateKey: string };
  readonly programs: {
    sandbox: Program;
    companion: Program;
    reconciliation: Program;
    shop: Program;
  };
  /** Restarts a program at the same addresses. */
  restart(name: keyof Stack['programs']): Promise<void>;
  stop(): Promise<void>;
}

export interface StackOptions {
  dataDir: string;
  /** `usual`: the documented ports, or the next free ones; `any`: any free ports. */
  ports: 'usual' | 'any';
  onLine?: (name: string, line: string) => void;
  /** Called when a usual port is taken, with the port that replaces it. */
  onMoved?: (what: string, from: number, to: number) => void;
  /** Called when the sandbox has created its keys, before companion and shop start. */
  beforeShop?: (privateKeyFile: string) => Promise<void> | void;
  /** URL of the documentation, which the problems of both programs point to. */
  docsUrl?: string;
  /** Environment variables of the companion to add or to replace. */
  companionEnv?: Record<string, string>;
  /**
   * Whether an unused data folder gets a seeded month, which `loadMonth` completes, and reconciliation the rules of
   * the example merchant. @default false
   */
  month?: boolean;
  /** File to which the sandbox appends the comparison of each answer with the published contract. */
  checkAnswers?: string;
}

async function choosePorts({ ports, onMoved }: StackOptions): Promise<typeof stackPorts> {
  const chosen = { ...stackPorts };
  const taken = new Set<number>();
  for (const [what, usual] of Object.entries(stackPorts) as [keyof typeof stackPorts, number][]) {
    const wanted = ports === 'usual' ? { port: portNumbers(usual, usual + 200) } : {};
    const port = await getPort({ ...wanted, exclude: [...taken] });
    taken.add(port);
    chosen[what] = port;
    if (ports === 'usual' && port !== usual) onMoved?.(what, usual, port);
  }
  return chosen;
}

/** Folders that a stack creates in its data folder, each with a file that proves who created it. */
export const stackFolders = {
  secrets: 'order-ticket',
  sandbox: 'sandbox.db',
  companion: 'companion.db',
  reconciliation: 'reconciliation.db',
  shop: 'shop.db',
};

/**
 * Starts sandbox, companion, reconciliation and shop, wired as a merchant would wire them, and waits until
 * each is ready.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { dataDir, onLine } = options;
  const secretsDir = join(dataDir, 'secrets');
  for (const folder of Object.keys(stackFolders)) {
    mkdirSync(join(dataDir, folder), { recursive: true, mode: 0o700 });
  }
  const port = await choosePorts(options);
  const at = {
    shop: `http://localhost:${port.shop}`,
    companion: `http://localhost:${port.companion}`,
    backOffice: `http://127.0.0.1:${port.backOffice}`,
    reconciliation: `http://127.0.0.1:${port.reconciliation}`,
    sandboxApi: `https://localhost:${port.sandboxApi}`,
    hosted: `http://localhost:${port.hosted}`,
    control: `http://127.0.0.1:${port.control}`,
  };
  const { file: secretFile, own } = keepSecrets(secretsDir);
  const file = {
    ...secretFile,
    ca: join(dataDir, 'sandbox', 'ca.pem'),
    publicKey: join(dataDir, 'sandbox', 'keys', 'sandbox.public'),
    privateKey: join(dataDir, 'sandbox', 'keys', 'sandbox.private'),
  };

  const start = {
    sandbox: () =>
      run('sandbox', 'packages/sandbox/dist/main.js', `${at.control}/health`, {}, [
        'serve',
        ...['--data-dir', join(dataDir, 'sandbox')],
        ...['--api-port', String(port.sandboxApi)],
        ...['--hosted-port', String(port.hosted)],
        ...['--control-port', String(port.control)],
        ...['--notify-url', `${at.companion}/notifications`],
        ...['--notify-authorization-file', file.notifications],
        ...(options.checkAnswers === undefined ? [] : ['--check-answers', options.checkAnswers]),
      ]),
    companion: () =>
      run(
        'companion',
        'packages/server/dist/node/main.js',
        `${at.backOffice}/readyz`,
        {
          FINANCING_ENVIRONMENT: 'sandbox',
          FINANCING_BASE_URL: at.sandboxApi,
          FINANCING_CA_FILE: file.ca,
          FINANCING_PUBLIC_API_KEY_FILE: file.publicKey,
          FINANCING_PRIVATE_API_KEY_FILE: file.privateKey,
          FINANCING_HOSTED_URL: `${at.hosted}/checkout?session={sessionToken}&key={publicKey}&origin={origin}&return={returnUrl}&locale={locale}`,
          FINANCING_SDK_URL: `${at.hosted}/sdk.js`,
          FINANCING_PROGRAMMES_FILE: join(root, 'examples/shop/programmes.json'),
          ORDER_TICKET_SECRET_FILE: file.orderTicket,
          COMPANION_ALLOWED_ORIGINS: at.shop,
          COMPANION_HOST: 'localhost',
          COMPANION_PORT: String(port.companion),
          COMPANION_BACK_OFFICE_PORT: String(port.backOffice),
          COMPANION_BACK_OFFICE_TOKEN_FILE: file.backOfficeToken,
          COMPANION_BACK_OFFICE_TOKENS_FILE: file.tokens,
          COMPANION_STORE: `sqlite:${join(dataDir, 'companion', 'companion.db')}`,
          COMPANION_WEBHOOK_URL: `${at.shop}/webhooks/financing`,
          COMPANION_WEBHOOK_SECRET_FILE: file.webhook,
          NOTIFICATION_AUTHORIZATION_FILE: file.notifications,
          ...(awaitsPurchases(dataDir) && { FINANCING_SETTLE: 'later' }),
          COMPANION_DOCS_URL: options.docsUrl ?? '',
          LOG_FORMAT: 'text',
          ...options.companionEnv,
        },
        ['serve'],
      ),
    reconciliation: () =>
      run(
        'reconciliation',
        'packages/reconciliation/dist/cli/main.js',
        `${at.reconciliation}/readyz`,
        {
          RECONCILIATION_ENVIRONMENT: 'sandbox',
          RECONCILIATION_STORE: `sqlite:${join(dataDir, 'reconciliation', 'reconciliation.db')}`,
          RECONCILIATION_COMPANION_URL: at.backOffice,
          RECONCILIATION_COMPANION_TOKEN_FILE: file.readerToken,
          RECONCILIATION_COMPANION_MONEY_TOKEN_FILE: file.moneyToken,
          RECONCILIATION_PORT: String(port.reconciliation),
          RECONCILIATION_TOKENS_FILE: file.reconciliationTokens,
          RECONCILIATION_DOCS_URL: options.docsUrl ?? '',
          ...(options.month && {
            RECONCILIATION_POLICY_FILE: keepPolicy(dataDir),
          }),
          LOG_FORMAT: 'text',
        },
        ['serve'],
      ),
    shop: () =>
      run('shop', 'examples/shop/dist/main.js', `${at.shop}/healthz`, {
        SHOP_HOST: 'localhost',
        SHOP_PORT: String(port.shop),
        SHOP_ORIGIN: at.shop,
        SHOP_DB: join(dataDir, 'shop', 'shop.db'),
        SHOP_ADMIN_TOKEN_FILE: file.shopAdminToken,
        COMPANION_URL: at.companion,
        COMPANION_BACK_OFFICE_URL: at.backOffice,
        COMPANION_BACK_OFFICE_TOKEN_FILE: file.shopToken,
        RECONCILIATION_URL: at.reconciliation,
        RECONCILIATION_TOKEN_FILE: file.shopReconciliationToken,
        COMPANION_WEBHOOK_SECRET_FILE: file.webhook,
        FINANCING_ENVIRONMENT: 'sandbox',
        FINANCING_PUBLIC_API_KEY_FILE: file.publicKey,
        ORDER_TICKET_SECRET_FILE: file.orderTicket,
        HOSTED_ORIGIN: at.hosted,
        SDK_ORIGIN: at.hosted,
      }),
  };

  const running: Partial<Record<keyof Stack['programs'], Program>> = {};
  async function run(
    name: keyof typeof start,
    script: string,
    ready: string,
    env: Record<string, string>,
    args: string[] = [],
  ): Promise<Program> {
    const program = startProgram({
      name,
      file: join(root, script),
      args,
      cwd: dataDir,
      env,
      ...(onLine && { onLine }),
    });
    running[name] = program;
    await untilReady(program, ready);
    return program;
  }
  // The shop stops first, so that no new requests arrive while the programs behind it finish.
  const stop = async () => {
    for (const name of ['shop', 'reconciliation', 'companion', 'sandbox'] as const) {
      await running[name]?.stop();
    }
  };

  try {
    if (options.month && isUnused(dataDir)) await seedMonth(dataDir);
    const sandbox = await start.sandbox();
    await options.beforeShop?.(file.privateKey);
    const companion = await start.companion();
    const [reconciliation, shop] = await Promise.all([start.reconciliation(), start.shop()]);
    const programs = { sandbox, companion, reconciliation, shop };
    return {
      dataDir,
      ...at,
      secrets: {
        ...own,
        publicKey: readFileSync(file.publicKey, 'utf8').trim(),
        privateKey: readFileSync(file.privateKey, 'utf8').trim(),
      },
      programs,
      restart: async (name) => {
        await programs[name].stop();
        programs[name] = await start[name]();
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
