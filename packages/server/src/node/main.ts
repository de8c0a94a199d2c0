#!/usr/bin/env node
import './supported-node.ts';
import { processShell, runProcess } from '@financing-checkout/kit/cli';
import { companionProgram } from './cli/program.ts';

await runProcess(companionProgram, processShell);
