import { readFileSync } from 'node:fs';
import {
  linkDeliveries,
  type LinkDelivery,
  linkLanguages,
  type LinkRecord,
  linkRecordSchema,
  linksSchema,
  toMajorUnits,
} from '@financing-checkout/contract';
import { type Command, Option } from 'commander';
import { CommandFailure, exitCodes, reasonOf } from './exit.ts';
import { keyOf } from './idempotency-key.ts';
import { askOffice } from './office.ts';
import type { Shell } from './shell.ts';
import { printable } from './table.ts';

interface CreateOptions {
  order: string;
  deliver?: LinkDelivery;
  language?: string;
  key?: string;
  json?: boolean;
}

/** Registers `links`, which makes links to checkouts and shows what has become of them. */
export function registerLinks(program: Command, shell: Shell): void {
  const links = program
    .command('links')
    .description(
      'make links to the checkout of an order, and show them, through a running companion',
    )
    .addHelpText(
      'after',
      `
A link is for a shopper in a store or on the phone: they finance the order on their own device. Hand over
the address, or have the service send it (--deliver). It lives for 24 hours. While it lives, "create"
prints the same link again and sends nothing: the service can neither withdraw a link nor send it again.

The order file has the fields of an order ticket's "order" (docs/order-ticket.md), with "channel",
"merchant.storeId" and "merchant.posId" of the sale. --deliver email needs consumer.email, --deliver sms
needs consumer.mobilePhoneNumber, and both need consumer.firstName and consumer.lastName.

Asks the back office at COMPANION_BACK_OFFICE_URL (http://127.0.0.1:4001) with
COMPANION_BACK_OFFICE_TOKEN, or the file COMPANION_BACK_OFFICE_TOKEN_FILE. "create" needs a token of the
scope "links", and so does the address of a link: without it "show" prints the state alone.

Examples:
  financing-companion links create --order order.json --deliver sms
  financing-companion links show A-1001`,
    );

  links
    .command('create')
    .description('make the link of an order, or show the one that lives')
    .requiredOption('--order <file>', 'JSON file of the order')
    .addOption(new Option('--deliver <how>', 'have the service send it').choices(linkDeliveries))
    .addOption(new Option('--language <language>', 'language of the pages').choices(linkLanguages))
    .option('--key <key>', 'the Idempotency-Key of an earlier run, to get its outcome')
    .option('--json', 'print the answer as JSON')
    .action(async ({ order: file, deliver, language, key: given, json }: CreateOptions) => {
      const order = readOrder(file);
      const key = keyOf(given);
      shell.say(`Idempotency-Key ${key}`);
      const link = await askOffice(shell, {
        method: 'POST',
        path: '/links',
        body: { order, deliver, language },
        key,
        schema: linkRecordSchema,
      });
      print(link, json);
    });

  links
    .command('show <checkout-or-order>')
    .description('show a link by its checkout (chk_…), or all links of an order')
    .option('--json', 'print one JSON object a line')
    .action(async (id: string, { json }: { json?: boolean }) => {
      if (id.startsWith('chk_')) {
        const path = `/links/${encodeURIComponent(id)}`;
        print(await askOffice(shell, { method: 'GET', path, schema: linkRecordSchema }), json);
        return;
      }
      const found = await askOffice(shell, {
        method: 'GET',
        path: '/links',
        query: { merchantOrderId: id },
        schema: linksSchema,
      });
      if (found.links.length === 0) shell.say('This order has no link.');
      for (const link of found.links) print(link, json);
    });

  function print(link: LinkRecord, json = false): void {
    if (json) shell.print(JSON.stringify(link));
    else for (const line of linesOf(link)) shell.print(printable(line));
  }
}

/** @throws {CommandFailure} for a file that cannot be read or is no JSON; the message repeats nothing of it */
function readOrder(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandFailure(`The order cannot be read: ${reasonOf(error)}`, exitCodes.usage);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new CommandFailure(`${file} is not JSON.`, exitCodes.usage);
  }
}

/** Returns why a link has no address. */
function reasonOfMissing({ addressLost, state, status }: LinkRecord): string {
  if (addressLost) return 'its address is lost; the service may have sent it';
  return status === 'open' && state !== 'expired'
    ? 'not shown: the token lacks the scope "links", or the link has just ended'
    : 'its checkout is no longer open';
}

function linesOf(link: LinkRecord): string[] {
  const { amount, delivery, secondConfirmations = [] } = link;
  const rows: [string, string][] = [
    ['checkout', link.checkoutId],
    ['order', link.merchantOrderId],
    ['amount', `${toMajorUnits(amount)} ${amount.currency}`],
    ['status', link.status],
    ['link', link.url ?? reasonOfMissing(link)],
    ['state', link.state],
    ['sent by', delivery ?? '-'],
    ['expires', link.expiresAt],
  ];
  return [
    ...rows.map(([name, value]) => `${name.padEnd(10)}${value}`),
    ...secondConfirmations.map(
      ({ applicationId, seenAt }) =>
        `${seenAt}  application ${applicationId} was confirmed too and not charged: cancel it at the service`,
    ),
  ];
}
