package focalist;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.Trees;
import com.sun.tools.javac.api.BasicJavacTask;
import com.sun.tools.javac.code.Symbol;
import com.sun.tools.javac.tree.JCTree;
import com.sun.tools.javac.tree.JCTree.JCClassDecl;
import com.sun.tools.javac.tree.JCTree.JCMethodDecl;
import com.sun.tools.javac.util.ListBuffer;
import com.sun.tools.javac.util.Log;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.tools.Diagnostic;
import javax.tools.JavaFileObject;

/**
 * Takes candidates with errors out of classes that the compiler has analysed and not yet translated, and has it forget the
 * errors: the rest is made as if they had never been there, and need not be read again.
 *
 * <p>After an error outside of candidates, or in the syntax of any, nothing is taken out.
 */
final class Cut {
    private final List<Diagnostic<? extends JavaFileObject>> said;
    /** By source: the first line of each candidate that may go, and its last one. */
    private final Map<String, TreeMap<Long, Long>> lines;
    /** By source: the first lines of those with errors that are still there. */
    private final Map<String, TreeMap<Long, Long>> wrong =
            new HashMap<String, TreeMap<Long, Long>>();
    private int nSeen;
    private boolean isLost;

    /** {@code said} grows while the compiler works. */
    Cut(
            List<Diagnostic<? extends JavaFileObject>> said,
            Map<String, TreeMap<Long, Long>> lines) {
        this.said = said;
        this.lines = lines;
    }

    /** A file has been read. */
    void parsed() {
        look();
        isLost = isLost || !wrong.isEmpty();
    }

    /** A class has been analysed, and is translated next. */
    void analysed(JavacTask task, CompilationUnitTree unit) {
        look();
        if (isLost) {
            return;
        }
        TreeMap<Long, Long> here = wrong.remove(unit.getSourceFile().toUri().getPath());
        if (here != null) {
            SourcePositions positions = Trees.instance(task).getSourcePositions();
            for (Tree type : unit.getTypeDecls()) {
                if (type instanceof JCClassDecl) {
                    cut((JCClassDecl) type, here, unit, positions);
                }
            }
        }
        if (wrong.isEmpty()) {
            Log.instance(((BasicJavacTask) task).getContext()).nerrors = 0;
        }
    }

    /** Whether nothing that has an error is in what was made. */
    boolean isClean() {
        look();
        return !isLost && wrong.isEmpty();
    }

    /** Reads what the compiler has said since the last time. */
    private void look() {
        for (; nSeen < said.size(); nSeen++) {
            Diagnostic<? extends JavaFileObject> it = said.get(nSeen);
            if (it.getKind() != Diagnostic.Kind.ERROR) {
                continue;
            }
            String source = it.getSource() == null ? null : it.getSource().toUri().getPath();
            Map.Entry<Long, Long> candidate = at(lines.get(source), it.getLineNumber());
            if (candidate == null) {
                isLost = true;
                return;
            }
            TreeMap<Long, Long> here = wrong.get(source);
            if (here == null) {
                here = new TreeMap<Long, Long>();
                wrong.put(source, here);
            }
            here.put(candidate.getKey(), candidate.getValue());
        }
    }

    private static Map.Entry<Long, Long> at(TreeMap<Long, Long> lines, long line) {
        Map.Entry<Long, Long> before = lines == null ? null : lines.floorEntry(line);
        return before == null || before.getValue() < line ? null : before;
    }

    private static void cut(
            JCClassDecl type,
            TreeMap<Long, Long> wrong,
            CompilationUnitTree unit,
            SourcePositions positions) {
        ListBuffer<JCTree> kept = new ListBuffer<JCTree>();
        for (JCTree member : type.defs) {
            long start = positions.getStartPosition(unit, member);
            if (member instanceof JCMethodDecl
                    && start != Diagnostic.NOPOS
                    && at(wrong, unit.getLineMap().getLineNumber(start)) != null) {
                Symbol symbol = ((JCMethodDecl) member).sym;
                if (symbol != null) {
                    symbol.owner.members().remove(symbol);
                }
                continue;
            }
            kept.append(member);
            if (member instanceof JCClassDecl) {
                cut((JCClassDecl) member, wrong, unit, positions);
            }
        }
        type.defs = kept.toList();
    }
}
