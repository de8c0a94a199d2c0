import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import getPort from 'get-port';
import { root } from '../../scripts/paths.ts';
import { startProgram, untilReady, type Program } from '../../scripts/processes.ts';

/** A merchant's folder with the installed packages and a shop. */
export interface MerchantOptions {
  /** Folder of examples/integrations or of a copy, with the build. */
  folder: string;
  /** Path of the shop's backend in that folder. */
  backend: string;
  /** Interpreter of the backend. @default Node.js */
  runtime?: string;
  args?: string[];
  /** A page that the backend serves once it is ready. @default 'plain.html' */
  page?: string;
  /** Path of the sandbox's command. */
  sandbox: string;
  companion: string;
}

export interface Merchant {
  shop: string;
  companion: string;
  publicKey: string;
  /** Secret that signs orders. */
  ticketSecret: string;
  /** `whsec_…`, the secret of the webhook. */
  webhookSecret: string;
  stop(): Promise<void>;
}

/**
 * Returns the exports of the README's first step, as a shell reads them. The reader replaces `…` and the
 * addresses; everything else is taken literally.
 */
function readmeEnvironment(own: Record<string, string>): Record<string, string> {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const block = /```sh\n(export FINANCING_ENVIRONMENT[\s\S]*?)```/.exec(readme)?.[1] ?? '';
  const stated = new Map(
    [...block.matchAll(/^export (\w+)=(?:'([^']*)'|(\S*))/gm)].map(
      ([, name = '', quoted, bare = '']) => [name, quoted ?? bare] as const,
    ),
  );
  for (const name of Object.keys(own)) {
    if (!stated.has(name)) throw new Error(`The README does not say that ${name} is needed.`);
  }
  if (!block.includes('/node_modules/.bin/financing-companion serve')) {
    throw new Error('The README does not say how the companion is started.');
  }
  const environment = { ...Object.fromEntries(stated), ...own };
  for (const [name, value] of Object.entries(environment)) {
    if (value.includes('…')) throw new Error(`Nobody knows from the README what ${name} is.`);
  }
  return environment;
}

/** Starts sandbox, companion and the merchant's shop as the README says. */
export async function startMerchant(options: MerchantOptions): Promise<Merchant> {
  const home = mkdtempSync(join(tmpdir(), 'financing-merchant-'));
  const port = {
    api: await getPort(),
    hosted: await getPort(),
    control: await getPort(),
    companion: await getPort(),
    backOffice: await getPort(),
    shop: await getPort(),
  };
  const shop = `http://localhost:${port.shop}`;
  const companion = `http://localhost:${port.companion}`;
  const ticketSecret = randomBytes(32).toString('hex');
  const webhookSecret = `whsec_${randomBytes(32).toString('base64')}`;
  const programs: Program[] = [];
  const stop = async () => {
    for (const program of programs.reverse()) await program.stop();
    rmSync(home, { recursive: true, force: true });
  };
  const run = async (program: Program, ready: string) => {
    programs.push(program);
    await untilReady(program, ready);
  };
  try {
    const sandbox = startProgram({
      name: 'sandbox',
      file: options.sandbox,
      args: [
        'serve',
        ...['--data-dir', '.data/sandbox'],
        ...['--api-port', String(port.api)],
        ...['--hosted-port', String(port.hosted)],
        ...['--control-port', String(port.control)],
      ],
      cwd: home,
      env: {},
    });
    await run(sandbox, `http://127.0.0.1:${port.control}/health`);
    const stated = readmeEnvironment({
      FINANCING_BASE_URL: `https://localhost:${port.api}`,
      FINANCING_PROGRAMMES_FILE: join(root, 'examples/shop/programmes.json'),
      FINANCING_HOSTED_URL: `http://localhost:${port.hosted}/checkout?session={sessionToken}&key={publicKey}&origin={origin}&return={returnUrl}&locale={locale}`,
      ORDER_TICKET_SECRET: ticketSecret,
      COMPANION_ALLOWED_ORIGINS: shop,
      COMPANION_WEBHOOK_URL: `${shop}/webhooks/financing`,
      COMPANION_WEBHOOK_SECRET: webhookSecret,
    });
    const serve = startProgram({
      name: 'companion',
      file: options.companion,
      args: ['serve'],
      cwd: home,
      env: {
        ...stated,
        COMPANION_HOST: 'localhost',
        COMPANION_PORT: String(port.companion),
        COMPANION_BACK_OFFICE_PORT: String(port.backOffice),
      },
    });
    await run(serve, `http://127.0.0.1:${port.backOffice}/readyz`);
    const publicKey = readFileSync(join(home, '.data/sandbox/keys/sandbox.public'), 'utf8').trim();
    const backend = startProgram({
      name: 'shop',
      file: join(options.folder, options.backend),
      runtime: options.runtime,
      ...(options.args && { args: options.args }),
      cwd: options.folder,
      env: {
        PORT: String(port.shop),
        PAGES: join(options.folder, 'dist'),
        COMPANION_URL: companion,
        COMPANION_WEBHOOK_SECRET: webhookSecret,
        FINANCING_ENVIRONMENT: 'sandbox',
        FINANCING_PUBLIC_API_KEY: publicKey,
        ORDER_TICKET_SECRET: ticketSecret,
      },
    });
    await run(backend, `${shop}/${options.page ?? 'plain.html'}`);
    return { shop, companion, publicKey, ticketSecret, webhookSecret, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
