import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import getPort, { portNumbers } from 'get-port';
import { root } from './paths.ts';
import { startProgram, untilReady, type Program } from './processes.ts';

/** Where the parts of a running stack are, and how to end them. */
export interface Stack {
  readonly dataDir: string;
  readonly shop: string;
  readonly companion: string;
  readonly backOffice: string;
  readonly sandboxApi: string;
  readonly hosted: string;
  readonly control: string;
  /** Contents of the files under `<dataDir>/secrets` and the sandbox's key pair. */
  readonly secrets: StackSecrets;
  readonly programs: { sandbox: Program; companion: Program; shop: Program };
  /** Starts one of them again after it was stopped, at the same addresses. */
  restart(name: keyof Stack['programs']): Promise<void>;
  stop(): Promise<void>;
}

export interface StackSecrets {
  publicKey: string;
  privateKey: string;
  orderTicket: string;
  webhook: string;
  /** Permits everything: for the command line, and for what the tests do. */
  backOfficeToken: string;
  shopToken: string;
  shopSyncToken: string;
  shopAdminToken: string;
}

export interface StackOptions {
  dataDir: string;
  /** `usual`: the documented ports, or the next free one; `any`: whatever is free. */
  ports: 'usual' | 'any';
  onLine?: (name: string, line: string) => void;
  /** Told when a usual port is taken and which one is used instead. */
  onMoved?: (what: string, from: number, to: number) => void;
  /** Called when the sandbox runs and its keys exist, before companion and shop start. */
  beforeShop?: (privateKeyFile: string) => Promise<void> | void;
  /** More environment for the companion, or other values. */
  companionEnv?: Record<string, string>;
  /** File to which the sandbox appends how each of its answers compares with what is published. */
  checkAnswers?: string;
}

const usualPorts = {
  shop: 3000,
  companion: 4000,
  backOffice: 4001,
  sandboxApi: 4443,
  hosted: 4444,
  control: 4445,
};

async function choosePorts({ ports, onMoved }: StackOptions): Promise<typeof usualPorts> {
  const chosen = { ...usualPorts };
  const taken = new Set<number>();
  for (const [what, usual] of Object.entries(usualPorts) as [keyof typeof usualPorts, number][]) {
    const wanted = ports === 'usual' ? { port: portNumbers(usual, usual + 200) } : {};
    const port = await getPort({ ...wanted, exclude: [...taken] });
    taken.add(port);
    chosen[what] = port;
    if (ports === 'usual' && port !== usual) onMoved?.(what, usual, port);
  }
  return chosen;
}

/** A random secret, made once and kept in a file that only its owner reads. */
function keepSecret(file: string, prefix = ''): string {
  if (!existsSync(file)) {
    writeFileSync(file, prefix + randomBytes(32).toString('base64'), { mode: 0o600 });
  }
  return readFileSync(file, 'utf8').trim();
}

/** The folders it makes in its own, and what it is known by that it has made each. */
export const stackFolders = {
  secrets: 'order-ticket',
  sandbox: 'sandbox.db',
  companion: 'companion.db',
  shop: 'shop.db',
};

/** Starts sandbox, companion and shop, wired as a merchant would wire them, and waits for each. */
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
    sandboxApi: `https://localhost:${port.sandboxApi}`,
    hosted: `http://localhost:${port.hosted}`,
    control: `http://127.0.0.1:${port.control}`,
  };
  const file = {
    orderTicket: join(secretsDir, 'order-ticket'),
    webhook: join(secretsDir, 'webhook'),
    backOfficeToken: join(secretsDir, 'back-office-token'),
    shopToken: join(secretsDir, 'shop-back-office-token'),
    shopSyncToken: join(secretsDir, 'shop-back-office-sync-token'),
    tokens: join(secretsDir, 'back-office-tokens'),
    shopAdminToken: join(secretsDir, 'shop-admin-token'),
    notifications: join(secretsDir, 'notifications'),
    ca: join(dataDir, 'sandbox', 'ca.pem'),
    publicKey: join(dataDir, 'sandbox', 'keys', 'sandbox.public'),
    privateKey: join(dataDir, 'sandbox', 'keys', 'sandbox.private'),
  };
  const own = {
    orderTicket: keepSecret(file.orderTicket),
    webhook: keepSecret(file.webhook, 'whsec_'),
    backOfficeToken: keepSecret(file.backOfficeToken),
    shopToken: keepSecret(file.shopToken),
    shopSyncToken: keepSecret(file.shopSyncToken),
    shopAdminToken: keepSecret(file.shopAdminToken),
  };
  // What the shop may do at the back office: read, and for its own people start syncs.
  const tokens = `shop read ${own.shopToken}\nshop-admin sync ${own.shopSyncToken}\n`;
  writeFileSync(file.tokens, tokens, { mode: 0o600 });
  // The Authorization value that service and companion have agreed on.
  keepSecret(file.notifications);

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
          LOG_FORMAT: 'text',
          ...options.companionEnv,
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
        COMPANION_BACK_OFFICE_ADMIN_TOKEN_FILE: file.shopSyncToken,
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
      leashed: true,
      ...(onLine && { onLine }),
    });
    running[name] = program;
    await untilReady(program, ready);
    return program;
  }
  // The shop first: what a shopper still sends is refused at the door, the rest drains behind it.
  const stop = async () => {
    for (const name of ['shop', 'companion', 'sandbox'] as const) await running[name]?.stop();
  };

  try {
    const sandbox = await start.sandbox();
    await options.beforeShop?.(file.privateKey);
    const programs = { sandbox, companion: await start.companion(), shop: await start.shop() };
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
