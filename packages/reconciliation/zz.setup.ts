import { afterAll, beforeEach, afterEach } from 'vitest';
import { appendFileSync } from 'node:fs';
let at = process.cpuUsage(); let w = performance.now();
const start = process.cpuUsage();
appendFileSync('/tmp/cpu.log', `S ${process.pid} ${(process.cpuUsage().user+process.cpuUsage().system)/1e3|0} ${expectPath()}\n`);
function expectPath(){ return (globalThis as any).__vitest_worker__?.filepath ?? ''; }
beforeEach(() => { at = process.cpuUsage(); w = performance.now(); });
afterEach(({ task }) => { const u = process.cpuUsage(at); appendFileSync('/tmp/cpu.log', `T ${(u.user+u.system)/1e3|0} ${(performance.now()-w)|0} ${task.file.name}: ${task.name}\n`); });
afterAll(() => { const u = process.cpuUsage(start); appendFileSync('/tmp/cpu.log', `E ${process.pid} ${(u.user+u.system)/1e3|0}\n`); });
