#!/usr/bin/env node
// Starts the program in the optional package for this platform, without a shell. The
// program gets the arguments, streams and signals of this process, which then exits as the
// program does.
"use strict";

const { spawn } = require("node:child_process");
const { dirname, join } = require("node:path");
const { isatty } = require("node:tty");
const { bin, name, version, optionalDependencies } = require("./package.json");

const [command] = Object.keys(bin);

function fail(what, hint) {
  console.error(`${command}: ${what}\nhint: ${hint}`);
  process.exit(2);
}

function findProgram() {
  const platform = `${process.platform}-${process.arch}`;
  const wanted = Object.keys(optionalDependencies).find((one) => one === `${name}-${platform}`);
  if (!wanted) {
    const known = Object.keys(optionalDependencies).map((one) => one.slice(name.length + 1));
    fail(`there is no program for ${platform}`, `it is built for ${known.join(", ")}; with Go you can build it from its source`);
  }
  let manifest;
  try {
    manifest = require.resolve(`${wanted}/package.json`);
  } catch {
    fail(
      `the package ${wanted}, which holds the program for this computer, is not installed`,
      `install ${name} again, on this computer and with optional packages: npm install --include=optional ${name}`,
    );
  }
  const found = require(manifest).version;
  if (found !== version) {
    fail(`the package ${wanted} has version ${found}, and ${name} has ${version}`, `install ${name} again: npm install ${name}@${version}`);
  }
  return join(dirname(manifest), process.platform === "win32" ? `${command}.exe` : command);
}

const program = findProgram();
let child;
// A terminal interrupts both processes. A second interrupt, passed on from here, would end
// the program before it has written its results.
const hasTerminal = [0, 1, 2].some((stream) => isatty(stream));
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => {
    if (signal !== "SIGINT" || !hasTerminal) {
      child.kill(signal);
    }
  });
}
child = spawn(program, process.argv.slice(2), {
  stdio: "inherit",
  // The program prints commands that begin with this name.
  argv0: process.env.npm_command ? `npx ${name}` : command,
});
child.on("error", (error) => fail(`${program} does not start: ${error.message}`, `install ${name} again: npm install ${name}@${version}`));
child.on("exit", (code, signal) => {
  if (signal) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  } else {
    process.exit(code);
  }
});
