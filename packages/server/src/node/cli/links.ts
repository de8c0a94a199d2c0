import { readFileSync } from 'node:fs';
import {
  linkDeliveries,
  linkLanguages,
  type LinkRecord,
  linkRecordSchema,
  linksSchema,
} from '@financing-checkout/contract/back-office';
import { toMajorUnits } from '@financing-checkout/contract/money';
import {
  addCommand,
  addGroup,
  announceKey,
  choice,
  CommandFailure,
  printAnswer,
  printEach,
  reasonOf,
  type Register,
  required,
  shared,
  type Shell,
  value,
} from '@financing-checkout/kit/cli';
import { askOffice, officeHelp } from './office.ts';

/** Registers `links`, which creates links to checkouts and shows their status. */
export const registerLinks: Register<Shell> = (program, shell) => {
  const links = addGroup(
    program,
    'links',
    'make links to the checkout of an order, and show them, through a running companion',
    `A link is for a shopper in a store or on the phone: they finance the order on their own device. Hand over
the address, or have the service send it (--deliver). It lives for 24 hours. While it lives, "create"
prints the same link again and sends nothing: the service can neither withdraw a link nor send it again.

The order file has the fields of an order ticket's "order" (docs/order-ticket.md), with "channel",
"merchant.storeId" and "merchant.posId" of the sale. --deliver email needs consumer.email, --deliver sms
needs consumer.mobilePhoneNumber, and both need consumer.firstName and consumer.lastName.

${officeHelp} "create" needs a token of the
scope "links", and so does the address of a link: without it "show" prints the state alone.

Examples:
  financing-companion links create --order order.json --deliver sms
  financing-companion links show A-1001`,
  );

  const create = {
    usage: 'create',
    description: 'make the link of an order, or show the one that lives',
    options: {
      order: required(value('<file>', 'JSON file of the order')),
      deliver: choice('<how>', linkDeliveries, 'have the service send it'),
      language: choice('<language>', linkLanguages, 'language of the texts'),
      key: shared.key(),
      json: shared.json(),
    },
  };
  addCommand(links, create, async ({ order: file, deliver, language, key, json }) => {
    const order = readOrder(file);
    const link = await askOffice(shell, {
      method: 'POST',
      path: '/links',
      body: { order, deliver, language },
      key: announceKey(shell, key),
      schema: linkRecordSchema,
    });
    printAnswer(shell, json, link, linesOf);
  });

  const show = {
    usage: 'show <checkout-or-order>',
    description: 'show a link by its checkout (chk_…), or all links of an order',
    options: { json: shared.jsonLines() },
  };
  addCommand(links, show, async ({ json }, id: string) => {
    if (id.startsWith('chk_')) {
      const path = `/links/${encodeURIComponent(id)}`;
      const link = await askOffice(shell, { method: 'GET', path, schema: linkRecordSchema });
      printAnswer(shell, json, link, linesOf);
      return;
    }
    const found = await askOffice(shell, {
      method: 'GET',
      path: '/links',
      query: { merchantOrderId: id },
      schema: linksSchema,
    });
    await printEach(shell, json, found.links, linesOf, 'This order has no link.');
  });
};

/**
 * @throws {CommandFailure} for a file that cannot be read or is not JSON; the message does not
 * repeat its content
 */
function readOrder(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandFailure(`The order cannot be read: ${reasonOf(error)}`);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new CommandFailure(`${file} is not JSON.`);
  }
}

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
