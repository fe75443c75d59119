// Talks to the worker that runs the engine. A question is answered within a time, or the
// worker is ended and another one started: a page is never blocked.

const patience = 30_000; // milliseconds for one question

export class Engine {
  // The addresses are absolute. tell is called with {loaded, total} in bytes.
  constructor({ worker, program, support }, tell) {
    this.addresses = { worker, program, support };
    this.tell = tell;
    this.begin();
  }

  begin() {
    // A worker of a blob has the Content-Security-Policy of its page, which lets it ask this
    // site alone; one of a file would have none.
    const code = new Blob([`importScripts(${JSON.stringify(this.addresses.worker)})`], { type: "text/javascript" });
    const address = URL.createObjectURL(code);
    const worker = new Worker(address);
    this.worker = worker;
    this.ready = new Promise((resolve, reject) => {
      this.refuse = reject;
      worker.onerror = (event) => {
        event.preventDefault();
        this.end(new Error(event.message || "the worker could not be started"));
      };
      worker.onmessage = ({ data }) => {
        if (data.loaded) this.tell(data);
        else if (data.ready) {
          URL.revokeObjectURL(address);
          this.module = data.module;
          resolve();
        } else if (data.ended) {
          this.end(new Error(data.ended));
        } else this.settle?.(JSON.parse(data.answer));
      };
    });
    this.ready.catch(() => {}); // whoever asks hears of it
    const { program, support } = this.addresses;
    worker.postMessage({ program, support, module: this.module });
  }

  // end ends the worker. The next question starts another one.
  end(problem) {
    this.worker?.terminate();
    this.worker = undefined;
    this.refuse(problem);
    this.fail?.(problem);
  }

  // ask returns the answer to one question; nothing else may be asked meanwhile.
  async ask(question) {
    if (!this.worker) this.begin();
    await this.ready;
    let timer;
    try {
      const answer = await new Promise((resolve, reject) => {
        this.settle = resolve;
        this.fail = reject;
        timer = setTimeout(() => this.end(new Error(`It took more than ${patience / 1000} seconds and was stopped. The command line has no such limit.`)), patience);
        this.worker.postMessage({ question: JSON.stringify(question) });
      });
      return answer;
    } finally {
      clearTimeout(timer);
      this.settle = this.fail = undefined;
    }
  }
}

// Stopped is why a question has no answer that the reader stopped.
export class Stopped extends Error {
  constructor() {
    super("It was stopped.");
  }
}

// Latest asks one question at a time. Of the questions of a kind that wait, the last one is
// asked; the others are answered with undefined.
export class Latest {
  constructor(engine) {
    this.engine = engine;
    this.waiting = new Map();
    this.isBusy = false;
  }

  ask(kind, question) {
    return new Promise((resolve, reject) => {
      this.waiting.get(kind)?.resolve(undefined);
      this.waiting.set(kind, { question, resolve, reject });
      if (!this.isBusy) this.work();
    });
  }

  // stop ends what is being answered, and what waits.
  stop() {
    const problem = new Stopped();
    for (const { reject } of this.waiting.values()) reject(problem);
    this.waiting.clear();
    this.engine.end(problem);
  }

  async work() {
    this.isBusy = true;
    while (this.waiting.size > 0) {
      const [kind, { question, resolve, reject }] = this.waiting.entries().next().value;
      this.waiting.delete(kind);
      try {
        resolve(await this.engine.ask(question));
      } catch (problem) {
        reject(problem);
      }
    }
    this.isBusy = false;
  }
}
