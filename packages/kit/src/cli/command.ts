import type { Command } from 'commander';
import { type OptionTable, type OptionValues, parserOption } from './options.ts';

/** Definition of a command: its usage, its options and its help. */
export interface CommandDefinition<Table extends OptionTable> {
  /** The command's name and arguments: "show <case-id>". */
  usage: string;
  description: string;
  /** Descriptions of the arguments, in order, if their names are not self-explanatory. */
  words?: readonly { text: string; choices?: readonly string[] }[];
  options?: Table;
  /** Help text below the options. */
  help?: string;
}

/**
 * Adds a command to a program or a group.
 * @param run receives the options and the arguments
 */
export function addCommand<const Table extends OptionTable>(
  parent: Command,
  { description, help, options, usage, words }: CommandDefinition<Table>,
  run: (options: OptionValues<Table>, ...typed: string[]) => Promise<void> | void,
): Command {
  const command = parent.command(usage).description(description);
  for (const [index, { text, choices }] of (words ?? []).entries()) {
    const argument = command.registeredArguments[index];
    if (argument) argument.description = text;
    if (choices) argument?.choices(choices);
  }
  for (const [name, option] of Object.entries(options ?? {})) {
    command.addOption(parserOption(name, option));
  }
  if (help !== undefined) command.addHelpText('after', `\n${help}`);
  return command.action(async () => {
    // The parser has validated the arguments; a missing optional argument is undefined.
    await run(command.opts<OptionValues<Table>>(), ...(command.processedArgs as string[]));
  });
}

export function addGroup(
  parent: Command,
  name: string,
  description: string,
  help: string,
): Command {
  return parent.command(name).description(description).addHelpText('after', `\n${help}`);
}
