import type { VariableTable, VariableType } from './variable.ts';

type Flat<Type> = { [Key in keyof Type]: Type[Key] };
type PathOf<Entry> = Entry extends { as: infer Path extends string } ? Path : never;
type NameOf<Path> = Path extends `${infer Name}[]` ? Name : Path;
type TopOf<Path> = Path extends `${string}.${string}` ? never : NameOf<Path>;
type GroupOf<Path> = Path extends `${infer Group}?.${string}`
  ? Group
  : Path extends `${infer Group}.${string}`
    ? Group
    : never;
type MemberOf<Path, Group extends string> = Path extends
  | `${Group}.${infer Member}`
  | `${Group}?.${infer Member}`
  ? NameOf<Member>
  : never;
type IsOptional<Paths, Group extends string> =
  Extract<Paths, `${Group}?.${string}`> extends never ? never : undefined;

type PathsOf<Table> = PathOf<Table[keyof Table]>;
type GroupsOf<Table> = GroupOf<PathsOf<Table>>;

/** The value of an entry. @typeParam Missing type that stands for a missing required value */
type Setting<Entry, Missing> = Entry extends { type: VariableType<infer Value> }
  ? Entry extends { as: `${string}[]` }
    ? (Value extends readonly (infer Item)[] ? Item : Value)[]
    : Entry extends { fallback: string } | { as: `${string}?.${string}` }
      ? Value
      : Entry extends { isRequired: true }
        ? Value | Missing
        : Value | undefined
  : never;

type MembersOf<Table, Group extends string, Missing> = {
  -readonly [Name in keyof Table as MemberOf<PathOf<Table[Name]>, Group>]: Setting<
    Table[Name],
    Missing
  >;
};

/** The settings that a table describes: each value at its variable's `as` path. */
export type SettingsOf<Table, Missing = never> = Flat<
  {
    -readonly [Name in keyof Table as TopOf<PathOf<Table[Name]>>]: Setting<Table[Name], Missing>;
  } & {
    [Group in GroupsOf<Table>]:
      | MembersOf<Table, Group, Missing>
      | IsOptional<PathsOf<Table>, Group>;
  }
>;

type GivenMembers<Table, Group extends string> = Flat<
  Partial<MembersOf<Table, Group, never>> & {
    [
      Name in keyof Table as PathOf<Table[Name]> extends `${Group}?.${string}`
        ? MemberOf<PathOf<Table[Name]>, Group>
        : never
    ]: Setting<Table[Name], never>;
  }
>;

/**
 * Settings that a program receives as an object. Omitted settings, even within a group, use their
 * defaults.
 */
export type GivenSettings<Table> = Flat<
  Partial<{
    -readonly [Name in keyof Table as TopOf<PathOf<Table[Name]>>]: Setting<Table[Name], never>;
  }> & {
    [Group in GroupsOf<Table>]?: GivenMembers<Table, Group>;
  }
>;

type Placed = Record<string, unknown>;

/** Returns the parts of a path: group, "?" if the group is optional, member, "[]" for a list. */
export function pathParts(as: string | undefined) {
  const [, group, optional, member, list] = /^(?:(\w+)(\?)?\.)?(\w+)(\[\])?$/.exec(as ?? '') ?? [];
  return { group, isOptional: optional !== undefined, member, isList: list !== undefined };
}

/** Places each variable's value at its path. Keeps optional groups even without values. */
export function placeSettings(table: VariableTable, valueOf: (name: string) => unknown): Placed {
  const settings: Placed = {};
  for (const [name, { as }] of Object.entries(table)) {
    const { group, member, isList } = pathParts(as);
    if (member === undefined) continue;
    const home = (group === undefined ? settings : (settings[group] ??= {})) as Placed;
    const value = valueOf(name);
    home[member] = isList ? [home[member] ?? [], value ?? []].flat() : value;
  }
  return settings;
}

/** Removes the optional groups that lack a required value. */
export function dropGroups(table: VariableTable, settings: Placed): void {
  for (const { as } of Object.values(table)) {
    const { group = '', isOptional, member = '' } = pathParts(as);
    const members = settings[group] as Placed | undefined;
    if (isOptional && members?.[member] === undefined) settings[group] = undefined;
  }
}

/** Completes settings from an object with the defaults of the table. */
export function withDefaults<Table extends VariableTable>(
  table: Table,
  given: GivenSettings<Table>,
): SettingsOf<Table, undefined> {
  const noProblem = { refuse: () => undefined, file: undefined };
  const settings = placeSettings(table, (name) => {
    const { fallback, type } = table[name] ?? {};
    return fallback === undefined ? undefined : type?.read(fallback, noProblem);
  });
  const groups = new Set(Object.values(table).map(({ as }) => pathParts(as).group));
  for (const [name, value] of Object.entries<unknown>(given)) {
    if (value === undefined || !Object.hasOwn(settings, name)) continue;
    settings[name] = groups.has(name)
      ? { ...(settings[name] as Placed), ...withoutUndefined(value as Placed) }
      : value;
  }
  dropGroups(table, settings);
  const complete: unknown = settings;
  return complete as SettingsOf<Table, undefined>;
}

function withoutUndefined(members: Placed): Placed {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
