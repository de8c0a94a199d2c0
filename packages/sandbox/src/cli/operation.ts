import { Argument, InvalidArgumentError, Option, type Command } from 'commander';
import { fieldAt } from '../control/fields.ts';
import { commandGroups, operations } from '../control/operations.ts';
import type { Operation } from '../control/operation.ts';
import { ArgumentError } from '../platform/problem.ts';
import { addControlOptions, callControl, print, type ControlOptions } from './control.ts';

/**
 * Adds the commands of the control API.
 * @returns the command groups by name
 */
export function addOperations(program: Command): ReadonlyMap<string, Command> {
  return new Map(
    Object.entries(commandGroups).map(([word, { does, help }]) => {
      const group = program.command(word).description(does);
      if (help !== undefined) group.addHelpText('after', `\n${help}`);
      for (const operation of operations) {
        const [first, last] = operation.command.split(' ');
        if (first === word && last !== undefined) addOperation(group.command(last), operation);
      }
      return [word, group];
    }),
  );
}

/** Adds an option for each input field of an operation. */
function addOperation(command: Command, operation: Operation): void {
  const { does = '', help, input, options = {}, words = [], show } = operation;
  command.description(does);
  if (help !== undefined) command.addHelpText('after', `\n${help}`);
  for (const word of words) {
    const [flag = '', text] = word.split('  ');
    command.argument(flag, text);
  }
  const set: ((given: Record<string, unknown>) => void)[] = [];
  for (const [path, option = ''] of Object.entries(options)) {
    const [flag = '', text = ''] = option.split('  ');
    const value = addField(command, flag, text, path, operation);
    set.push((given) => setAt(given, path, value()));
  }
  addControlOptions(command, show !== undefined);
  command.action(async () => {
    const given: Record<string, unknown> = { ...operation.sends };
    for (const field of set) field(given);
    const args = command.processedArgs as string[];
    const sent = operation.toInput?.(given, args) ?? given;
    const chosen = command.opts<ControlOptions>();
    const body = operation.method === 'POST' && input ? sent : undefined;
    const path = filled(operation.path, sent);
    const answer = await callControl(chosen.controlUrl, operation.method, path, body);
    print(chosen, operation, answer, given);
  });
}

/** Adds a field as an option or an argument. @returns a function that reads it when the command runs */
function addField(
  command: Command,
  flag: string,
  text: string,
  path: string,
  { input, read: readers }: Operation,
): () => unknown {
  if (!input) throw new Error('An operation without an input has no fields.');
  const { choices, initial, required, ...field } = fieldAt(input, path);
  const read = readers?.[path] ?? field.read;
  if (!flag.startsWith('-')) {
    const index = command.registeredArguments.length;
    const argument = new Argument(flag, text);
    if (choices) argument.choices(choices);
    command.addArgument(argument);
    return () => command.processedArgs[index] as unknown;
  }
  const isSwitch = !flag.includes('<');
  const shown = isSwitch || initial === undefined ? '' : ` (default: ${JSON.stringify(initial)})`;
  const option = new Option(flag, text + shown).makeOptionMandatory(required);
  if (choices && !isSwitch) option.choices(choices);
  else if (read) option.argParser(parserOf(read));
  command.addOption(option);
  return () => {
    const value = command.opts<Record<string, unknown>>()[option.attributeName()];
    // If a setting is on by default, its switch turns it off.
    return isSwitch && value === true ? initial !== true : value;
  };
}

/** Returns a parser whose error message names the option. */
function parserOf(read: (text: string) => unknown): (text: string) => unknown {
  return (text) => {
    try {
      return read(text);
    } catch (error) {
      throw error instanceof ArgumentError ? new InvalidArgumentError(error.message) : error;
    }
  };
}

/** Sets the value at a dotted path, unless it is undefined. */
function setAt(object: Record<string, unknown>, path: string, value: unknown): void {
  if (value === undefined) return;
  const [first = '', ...rest] = path.split('.');
  if (rest.length === 0) object[first] = value;
  else setAt((object[first] ??= {}) as Record<string, unknown>, rest.join('.'), value);
}

/** Replaces the parameters of a path with input fields. */
function filled(path: string, input: object): string {
  const values = new Map<string, string | undefined>(Object.entries(input));
  return path.replaceAll(/\/:(\w+)\??/g, (_all, name: string) => {
    const value = values.get(name);
    return value === undefined ? '' : `/${encodeURIComponent(value)}`;
  });
}
