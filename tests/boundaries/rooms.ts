import type { IModule } from 'dependency-cruiser';

/** The rooms of a package, each with the rooms that it imports, directly or through other rooms. */
type Rooms = Map<string, Set<string>>;

const tests = /\.(test|fixture)\.ts$/;

/**
 * Returns the rooms of a package: the folders of its `src`. @throws {Error} when some form a cycle
 */
function roomsOf(modules: readonly IModule[], name: string): Rooms {
  const roomOf = (file: string) => new RegExp(`^packages/${name}/src/([^/]+)/`).exec(file)?.[1];
  const rooms: Rooms = new Map();
  for (const { source, dependencies } of modules) {
    const room = roomOf(source);
    if (room === undefined || tests.test(source)) continue;
    const used = rooms.get(room) ?? new Set();
    rooms.set(room, used);
    for (const { resolved } of dependencies) {
      const other = roomOf(resolved);
      if (other !== undefined && other !== room) used.add(other);
    }
  }
  // Iterating a set also visits the elements that are added meanwhile.
  for (const used of rooms.values()) {
    for (const each of used) for (const other of rooms.get(each) ?? []) used.add(other);
  }
  const circle = [...rooms].filter(([room, used]) => used.has(room)).map(([room]) => room);
  if (circle.length > 0)
    throw new Error(`packages/${name}: ${circle.join(', ')} import each other.`);
  return rooms;
}

/** Returns a Mermaid graph of the rooms, without imports that other imports imply. */
function graphOf(rooms: Rooms): string {
  const edges = [...rooms].flatMap(([room, used]) => {
    const implied = new Set([...used].flatMap((one) => [...(rooms.get(one) ?? [])]));
    return [...used].filter((one) => !implied.has(one)).map((one) => `  ${room} --> ${one}`);
  });
  return ['```mermaid', 'flowchart BT', ...edges.toSorted(), '```'].join('\n');
}

/** Returns the rooms in topological order, starting with those that import no other room. */
function layersOf(rooms: Rooms): string {
  const depths = new Map<string, number>();
  const depthOf = (room: string): number => {
    const known = depths.get(room);
    if (known !== undefined) return known;
    const depth = Math.max(0, ...[...(rooms.get(room) ?? [])].map((used) => depthOf(used) + 1));
    depths.set(room, depth);
    return depth;
  };
  const layers: string[][] = [];
  for (const room of [...rooms.keys()].toSorted()) (layers[depthOf(room)] ??= []).push(room);
  return layers.map((layer) => layer.join(', ')).join(' ← ');
}

/** Returns the section on rooms of docs/architecture.md, between its two marks. */
export function roomsSection(
  modules: readonly IModule[],
  drawn: string,
  listed: readonly string[],
): string {
  const rows = listed.map((name) => `- **${name}**: ${layersOf(roomsOf(modules, name))}`);
  return [graphOf(roomsOf(modules, drawn)), rows.join('\n')].join('\n\n');
}
