import {
  deliveriesSchema,
  type Delivery,
  deliveryStates,
} from '@financing-checkout/contract/back-office';
import {
  addCommand,
  addGroup,
  CommandFailure,
  flag,
  printEach,
  readPages,
  type Register,
  shared,
  type Shell,
  withDefault,
} from '@financing-checkout/kit/cli';
import { z } from 'zod';
import { askOffice, officeHelp, ofPeriod, period } from './office.ts';

/** Registers `webhooks`, which lists messages to the shop's backend and sends them again. */
export const registerWebhooks: Register<Shell> = (program, shell) => {
  const webhooks = addGroup(
    program,
    'webhooks',
    'list the messages to the shop, and send dead ones again, through a running companion',
    `A message is tried 83 times, over one and a half to three and a half days, then it is dead; an answer
of 410 (gone) ends it at once. When the shop's backend works again, "webhooks replay --all" sends every
dead message with its old id, so a shop that has received it recognizes the duplicate.

${officeHelp}`,
  );

  const list = {
    usage: 'list',
    description: 'messages, oldest first',
    options: {
      state: withDefault(shared.state(deliveryStates), 'dead'),
      ...period,
      json: shared.jsonLines(),
    },
  };
  addCommand(webhooks, list, async ({ json, ...filter }) => {
    const nothing = `No message${ofPeriod(filter)} is ${filter.state}.`;
    await printEach(shell, json, deliveries(shell, filter), (row) => [deliveryLine(row)], nothing);
  });

  const replay = {
    usage: 'replay [message-id]',
    description: 'send a message again, or with --all every dead one',
    options: { all: flag('every dead message') },
  };
  addCommand(webhooks, replay, async ({ all }, id: string | undefined) => {
    if ((id === undefined) === (all !== true)) {
      throw new CommandFailure('Give either a message id or --all.');
    }
    if (id !== undefined) {
      await send(shell, id);
      shell.print(`${id} is sent again.`);
      return;
    }
    // Read the whole list first, because replaying a message removes it from the list.
    const ids: string[] = [];
    for await (const delivery of deliveries(shell, { state: 'dead' })) ids.push(delivery.id);
    for (const dead of ids) await send(shell, dead);
    shell.print(`${ids.length} sent again.`);
  });
};

function deliveries(
  shell: Shell,
  filter: { state: string; from?: string | undefined; to?: string | undefined },
): AsyncGenerator<Delivery> {
  return readPages(async (after) => {
    const page = await askOffice(shell, {
      method: 'GET',
      path: '/webhooks',
      query: { ...filter, after },
      schema: deliveriesSchema,
    });
    return { rows: page.deliveries, next: page.next };
  });
}

async function send(shell: Shell, id: string): Promise<void> {
  await askOffice(shell, {
    method: 'POST',
    path: `/webhooks/${encodeURIComponent(id)}/replay`,
    schema: z.looseObject({}),
  });
}

function deliveryLine({ checkoutId, ...delivery }: Delivery): string {
  const { createdAt, id, reason, state, tries } = delivery;
  const why = reason === undefined ? '' : `  ${reason}`;
  return `${createdAt}  ${id}  ${checkoutId}  ${state} after ${tries} ${tries === 1 ? 'try' : 'tries'}${why}`;
}
