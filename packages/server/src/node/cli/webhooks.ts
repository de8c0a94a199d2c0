import {
  deliveriesSchema,
  type Delivery,
  type DeliveryState,
  deliveryStates,
} from '@financing-checkout/contract';
import { type Command, Option } from 'commander';
import { z } from 'zod';
import { CommandFailure, exitCodes } from './exit.ts';
import { askOffice } from './office.ts';
import type { Shell } from './shell.ts';

/** Registers `webhooks`, which lists messages to the shop's backend and sends them again. */
export function registerWebhooks(program: Command, shell: Shell): void {
  const webhooks = program
    .command('webhooks')
    .description(
      'list the messages to the shop, and send dead ones again, through a running companion',
    )
    .addHelpText(
      'after',
      `
A message is tried 83 times, over one and a half to three and a half days, then it is dead; an answer
of 410 (gone) ends it at once. When the shop's backend works again, "webhooks replay --all" sends every
dead message with its old id, so a shop that has received it recognises the duplicate.

Asks the back office at COMPANION_BACK_OFFICE_URL (http://127.0.0.1:4001) with
COMPANION_BACK_OFFICE_TOKEN, or the file COMPANION_BACK_OFFICE_TOKEN_FILE.`,
    );

  webhooks
    .command('list')
    .description('messages, oldest first')
    .addOption(
      new Option('--state <state>', 'only those in this state')
        .choices(deliveryStates)
        .default('dead'),
    )
    .option('--json', 'print one JSON object a line')
    .action(async (options: { state: DeliveryState; json?: boolean }) => {
      let count = 0;
      for await (const delivery of deliveries(shell, options.state)) {
        count += 1;
        shell.print(options.json ? JSON.stringify(delivery) : deliveryLine(delivery));
      }
      if (count === 0) shell.say(`No message is ${options.state}.`);
    });

  webhooks
    .command('replay [message-id]')
    .description('send a message again, or with --all every dead one')
    .option('--all', 'every dead message')
    .action(async (id: string | undefined, options: { all?: boolean }) => {
      if ((id === undefined) === (options.all !== true)) {
        throw new CommandFailure('Give either a message id or --all.', exitCodes.usage);
      }
      if (id !== undefined) {
        await replay(shell, id);
        shell.print(`${id} is sent again.`);
        return;
      }
      // Read the list first: a replayed message leaves it.
      const ids: string[] = [];
      for await (const delivery of deliveries(shell, 'dead')) ids.push(delivery.id);
      for (const dead of ids) await replay(shell, dead);
      shell.print(`${ids.length} sent again.`);
    });
}

async function* deliveries(shell: Shell, state: DeliveryState): AsyncGenerator<Delivery> {
  let after: string | undefined;
  do {
    const page = await askOffice(shell, {
      method: 'GET',
      path: '/webhooks',
      query: { state, ...(after === undefined ? {} : { after }) },
      schema: deliveriesSchema,
    });
    yield* page.deliveries;
    after = page.next;
  } while (after !== undefined);
}

async function replay(shell: Shell, id: string): Promise<void> {
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
