import type { Command } from 'commander';
import { addControlCommand, callControl, print, type ControlOptions } from './control.ts';

interface ShownLink {
  url: string;
  linkType: string;
  linkStatus: string;
  merchantOrderId: string | null;
  delivered: string | null;
  applications: readonly { id: string; state: string }[];
}

/** `financing-sandbox links` */
export function addLinks(program: Command): void {
  const links = program.command('links').description('Show the links that merchants created.');
  addControlCommand(links, 'list', 'Show each link, its state and how it was delivered.').action(
    async (options: ControlOptions) => {
      const answer = await callControl(options.controlUrl, '/links');
      const all = (answer as { links: ShownLink[] }).links;
      print(options, all, all.length > 0 ? all.map(describe) : ['There are no links.']);
    },
  );
}

function describe(link: ShownLink): string {
  const { url, linkType, linkStatus, merchantOrderId, delivered, applications } = link;
  const order = merchantOrderId === null ? [] : [`order ${merchantOrderId}`];
  const sent = delivered === null ? 'not delivered' : `delivered by ${delivered}`;
  const states = applications.map(({ id, state }) => `${id} ${state}`);
  return [url, linkType, linkStatus, ...order, sent, ...states].join('  ');
}
