package dev.cede.testbed.apiserver;

import static dev.cede.testbed.apiserver.CoreFixture.json;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PatchesTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "{'a':1}              | {'b':2}          | {'a':1,'b':2}",
                "{'a':{'b':1,'c':2}}  | {'a':{'b':null}} | {'a':{'c':2}}",
                "{'a':[1,2]}          | {'a':[3]}        | {'a':[3]}",
                "{'a':1}              | {'a':{'b':1}}    | {'a':{'b':1}}",
                "{}                   | {'a':{'b':null}} | {'a':{}}"
            })
    void mergePatches(String target, String patch, String result) {
        assertEquals(json(result), MergePatch.apply(json(target), json(patch)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                // a keyed list is merged item by item
                "{'conditions':[{'type':'A','status':'x'},{'type':'B'}]} "
                        + "| {'conditions':[{'type':'A','reason':'r'}]} "
                        + "| {'conditions':[{'type':'A','status':'x','reason':'r'},{'type':'B'}]}",
                "{'containers':[{'name':'a','image':'1'}]} "
                        + "| {'containers':[{'name':'b','image':'2'}]} "
                        + "| {'containers':[{'name':'a','image':'1'},{'name':'b','image':'2'}]}",
                "{'containers':[{'name':'a'},{'name':'b'}]} "
                        + "| {'containers':[{'$patch':'delete','name':'a'}]} "
                        + "| {'containers':[{'name':'b'}]}",
                "{'containers':[{'name':'a'},{'name':'b'}]} "
                        + "| {'containers':[{'name':'c'},{'$patch':'replace'}]} "
                        + "| {'containers':[{'name':'c'}]}",
                // the order directive counts after the merge
                "{'containers':[{'name':'a'}]} "
                        + "| {'$setElementOrder/containers':[{'name':'b'},{'name':'a'}],"
                        + "'containers':[{'name':'b'}]} "
                        + "| {'containers':[{'name':'b'},{'name':'a'}]}",
                // other lists are replaced, sets are united
                "{'args':['a']}       | {'args':['b']}       | {'args':['b']}",
                "{'tolerations':[{'key':'a'}]} | {'tolerations':[{'key':'b'}]} "
                        + "| {'tolerations':[{'key':'b'}]}",
                "{'finalizers':['a']} | {'finalizers':['b']} | {'finalizers':['a','b']}",
                "{'finalizers':['a','b']} | {'$deleteFromPrimitiveList/finalizers':['a']} "
                        + "| {'finalizers':['b']}",
                "{'s':{'type':'R','rollingUpdate':{}}} | {'s':{'$retainKeys':['type'],'type':'Recreate'}} "
                        + "| {'s':{'type':'Recreate'}}",
                "{'a':{'b':1}}        | {'a':{'$patch':'replace','c':2}} | {'a':{'c':2}}",
                "{'a':{'b':1},'c':1}  | {'a':{'$patch':'delete'}}        | {'c':1}",
                "{'a':1}              | {'a':null}           | {}"
            })
    void strategicMergePatches(String target, String patch, String result) {
        assertEquals(json(result), StrategicMergePatch.apply(json(target), json(patch)));
    }
}
